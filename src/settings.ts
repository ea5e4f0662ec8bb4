import proxyAddress from "proxy-addr";
import * as v from "valibot";

/** The command line, a setting or the URL of a storage needs correcting. The message says how. */
export class UsageError extends Error {
  readonly exitCode = 2;
}

const matching = (form: RegExp, rule: string) => v.pipe(v.string(), v.regex(form, rule));

const choice = <const Names extends readonly string[]>(names: Names, fallback: Names[number]) =>
  v.optional(v.picklist(names, `must be one of ${names.join(", ")}`), fallback);

const integer = (what: string, min: number, max: number, fallback: string) => {
  const rule = `must be ${what} from ${min} to ${max}, e.g. ${fallback}`;
  // Kubernetes sets PETSTORE_PORT for a Service named petstore.
  const notKubernetes = matching(/^(?!tcp:)/, `${rule}; in Kubernetes set enableServiceLinks: false`);
  // Leading zeros are accepted only where 0 is.
  const form = new RegExp(`^${min > 0 ? "[1-9]" : "\\d"}\\d{0,${String(max).length - 1}}$`);
  const digits = v.pipe(notKubernetes, v.regex(form, rule), v.transform(Number));
  return v.optional(v.pipe(digits, v.minValue(min, rule), v.maxValue(max, rule)), fallback);
};

const list = (items: string, isItem: (item: string) => boolean, example: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(",").map((item) => item.trim())),
      v.check((list) => list.every(isItem), `must be ${items}, separated by commas, e.g. ${example}`),
    ),
  );

const host = v.optional(matching(/^\S+$/, "must be an address to listen on, e.g. 127.0.0.1"), "127.0.0.1");

const flag = v.pipe(
  choice(["true", "false"], "false"),
  v.transform((text) => text === "true"),
);

const level = choice(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info");

const path = matching(/^\P{Cc}+$/u, "must be a path, e.g. ./data/keys.json");

/** The token68 of RFC 9110, section 11.2. */
const key = matching(
  /^[\w.~+/-]+=*$/,
  "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start",
);

const origin = v.pipe(
  v.string(),
  v.transform((url) => url.replace(/\/$/, "")),
  v.check(isOrigin, "must be an origin without a path, e.g. https://pets.example.org"),
);

const rate = v.pipe(
  matching(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/, "must be REQUESTS/SECONDS for each key, e.g. 600/60"),
  v.transform((text) => ({ requests: Number.parseInt(text, 10), seconds: Number(text.split("/")[1]) })),
);

function isOrigin(url: string): boolean {
  return /^https?:/.test(url) && URL.canParse(url) && new URL(url).origin === url;
}

function isNetwork(range: string): boolean {
  try {
    proxyAddress.compile(range);
    return true;
  } catch {
    return false;
  }
}

const origins = list("origins without a path", isOrigin, "https://app.example.org");
const proxies = list("addresses or subnets of the reverse proxies", isNetwork, "loopback,10.0.0.0/8");

export const DEFAULT_STORAGE = "sqlite:./data/petstore.db";

/** The environment variable, rule and default of each setting. The storages check their two themselves. */
const SETTINGS = {
  host: ["PETSTORE_HOST", host],
  port: ["PETSTORE_PORT", integer("a port", 0, 65_535, "3000")],
  adminHost: ["PETSTORE_ADMIN_HOST", host],
  adminPort: ["PETSTORE_ADMIN_PORT", integer("a port", 0, 65_535, "3001")],
  storage: ["PETSTORE_STORAGE", v.optional(v.string(), DEFAULT_STORAGE)],
  storageAdapters: ["PETSTORE_STORAGE_ADAPTERS", v.optional(v.string())],
  readOnly: ["PETSTORE_READ_ONLY", flag],
  keysFile: ["PETSTORE_KEYS_FILE", v.optional(path, "./data/keys.json")],
  apiKey: ["PETSTORE_API_KEY", v.optional(key)],
  publicUrl: ["PETSTORE_PUBLIC_URL", v.optional(origin)],
  maxConnections: ["PETSTORE_MAX_CONNECTIONS", integer("a number", 1, 999_999, "10000")],
  maxInFlight: ["PETSTORE_MAX_IN_FLIGHT", integer("a number", 1, 999_999, "1000")],
  rateLimit: ["PETSTORE_RATE_LIMIT", v.optional(rate)],
  corsOrigins: ["PETSTORE_CORS_ORIGINS", origins],
  trustProxy: ["PETSTORE_TRUST_PROXY", proxies],
  logLevel: ["PETSTORE_LOG_LEVEL", level],
  keepAliveTimeout: ["PETSTORE_KEEP_ALIVE_TIMEOUT", integer("seconds", 1, 9999, "65")],
  stopTimeout: ["PETSTORE_STOP_TIMEOUT", integer("seconds", 0, 9999, "10")],
  getPet: ["PETSTORE_GET_PET", choice(["served", "removed"], "served")],
} as const satisfies Record<
  string,
  readonly [variable: string, rule: v.GenericSchema<string | undefined, unknown>]
>;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: v.InferOutput<(typeof SETTINGS)[Name][1]>;
};

/** A variable with an invalid value; `fault` follows its name, e.g. "must be a path". */
export interface Fault {
  readonly name: string;
  readonly fault: string;
}

/**
 * @param storageFaults the faults that the storages found in their two settings
 * @throws UsageError with a line for each fault: the variable, the rule and an example, never the value
 */
export function readSettings(environment: NodeJS.ProcessEnv, storageFaults: readonly Fault[] = []): Settings {
  const rows = checkSettings(environment, storageFaults);
  const faults = rows.filter(({ fault }) => fault !== null).map(({ name, fault }) => `${name} ${fault}`);
  if (faults.length === 0) {
    return Object.fromEntries(rows.map(({ member, value }) => [member, value])) as Settings;
  }
  const unknown = unknownSettings(environment).map((name) => `${name} is not a setting; is it misspelt?`);
  throw new UsageError(["Fix these settings:", ...faults, ...unknown].join("\n  "));
}

export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  const known: string[] = Object.values(SETTINGS).map(([name]) => name);
  return Object.keys(environment).filter((name) => name.startsWith("PETSTORE_") && !known.includes(name));
}

/** Lists each setting with the rule that it breaks, then the unknown variables. `mask` masks URLs. */
export function describeSettings(
  environment: NodeJS.ProcessEnv,
  storageFaults: readonly Fault[],
  mask: (url: string) => string,
) {
  const known = checkSettings(environment, storageFaults).map(({ name, byDefault, fault }) => {
    const text = environment[name] ?? byDefault ?? null;
    // In a malformed URL any part may be the password.
    const isSecret = name === "PETSTORE_API_KEY" || (fault !== null && text?.includes("@"));
    const origin = name in environment ? "environment" : "default";
    return { name, value: text && (isSecret ? "***" : mask(text)), origin, fault };
  });
  const unknown = unknownSettings(environment);
  return [...known, ...unknown.map((name) => ({ name, value: "***", origin: "unknown", fault: null }))];
}

function checkSettings(environment: NodeJS.ProcessEnv, storageFaults: readonly Fault[]) {
  return Object.entries(SETTINGS).map(([member, [name, rule]]) => {
    const { output, issues } = v.safeParse(rule as v.GenericSchema, environment[name]);
    const ofStorage = storageFaults.find((fault) => fault.name === name);
    const fault = ofStorage?.fault ?? issues?.[0].message ?? null;
    return { member, name: name as string, value: output, byDefault: v.getDefault(rule), fault };
  });
}
