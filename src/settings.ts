import proxyAddress from "proxy-addr";
import * as v from "valibot";

/** The command line, a setting or the URL of a storage needs correcting. The message says how. */
export class UsageError extends Error {
  readonly exitCode = 2;
}

const matching = (form: RegExp, rule: string) => v.pipe(v.string(), v.regex(form, rule));
const number = (form: RegExp, rule: string) => v.pipe(matching(form, rule), v.transform(Number));
const choice = <const Names extends readonly string[]>(names: Names, fallback: Names[number]) =>
  v.optional(v.picklist(names, `must be one of ${names.join(", ")}`), fallback);

const host = v.optional(matching(/^\S+$/, "must be an address to listen on, e.g. 127.0.0.1"), "127.0.0.1");

const port = (fallback: string) => {
  const rule = `must be a port from 0 to 65535, e.g. ${fallback}`;
  // Kubernetes sets PETSTORE_PORT=tcp://… for a Service named petstore.
  const ofKubernetes = `${rule}; in Kubernetes set enableServiceLinks: false`;
  return v.optional(
    v.pipe(matching(/^(?!tcp:\/\/)/, ofKubernetes), number(/^\d{1,5}$/, rule), v.maxValue(65_535, rule)),
    fallback,
  );
};

const count = (fallback: string) =>
  v.optional(number(/^[1-9]\d{0,5}$/, `must be a number from 1 to 999999, e.g. ${fallback}`), fallback);

const seconds = (form: RegExp, from: number, fallback: string) =>
  v.optional(number(form, `must be seconds from ${from} to 9999, e.g. ${fallback}`), fallback);

const list = (isItem: (item: string) => boolean, rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((items) => items.split(",").map((item) => item.trim())),
      v.check((items) => items.every(isItem), rule),
    ),
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

export const DEFAULT_STORAGE = "sqlite:./data/petstore.db";

/** What a bearer credential may hold (RFC 9110, section 11.2). */
const TOKEN68 = /^[\w.~+/-]+=*$/;

/** Every setting: its environment variable, with rule and default. The storages themselves check their URLs. */
const SETTINGS = {
  host: ["PETSTORE_HOST", host],
  port: ["PETSTORE_PORT", port("3000")],
  adminHost: ["PETSTORE_ADMIN_HOST", host],
  adminPort: ["PETSTORE_ADMIN_PORT", port("3001")],
  storage: ["PETSTORE_STORAGE", v.optional(v.string(), DEFAULT_STORAGE)],
  storageAdapters: ["PETSTORE_STORAGE_ADAPTERS", v.optional(v.string())],
  readOnly: [
    "PETSTORE_READ_ONLY",
    v.pipe(
      choice(["true", "false"], "false"),
      v.transform((text) => text === "true"),
    ),
  ],
  keysFile: [
    "PETSTORE_KEYS_FILE",
    v.optional(matching(/^\P{Cc}+$/u, "must be a path, e.g. ./data/keys.json"), "./data/keys.json"),
  ],
  apiKey: [
    "PETSTORE_API_KEY",
    v.optional(
      matching(TOKEN68, "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start"),
    ),
  ],
  publicUrl: [
    "PETSTORE_PUBLIC_URL",
    v.optional(
      v.pipe(
        v.string(),
        v.transform((url) => url.replace(/\/$/, "")),
        v.check(isOrigin, "must be an origin without a path, e.g. https://pets.example.org"),
      ),
    ),
  ],
  maxConnections: ["PETSTORE_MAX_CONNECTIONS", count("10000")],
  maxInFlight: ["PETSTORE_MAX_IN_FLIGHT", count("1000")],
  rateLimit: [
    "PETSTORE_RATE_LIMIT",
    v.optional(
      v.pipe(
        matching(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/, "must be REQUESTS/SECONDS for each key, e.g. 600/60"),
        v.transform((rate) => ({ requests: Number.parseInt(rate, 10), seconds: Number(rate.split("/")[1]) })),
      ),
    ),
  ],
  corsOrigins: [
    "PETSTORE_CORS_ORIGINS",
    list(isOrigin, "must be origins without a path, separated by commas, e.g. https://app.example.org"),
  ],
  trustProxy: [
    "PETSTORE_TRUST_PROXY",
    list(
      isNetwork,
      "must be addresses or subnets of the reverse proxies, separated by commas, e.g. loopback,10.0.0.0/8",
    ),
  ],
  logLevel: [
    "PETSTORE_LOG_LEVEL",
    choice(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info"),
  ],
  keepAliveTimeout: ["PETSTORE_KEEP_ALIVE_TIMEOUT", seconds(/^[1-9]\d{0,3}$/, 1, "65")],
  stopTimeout: ["PETSTORE_STOP_TIMEOUT", seconds(/^\d{1,4}$/, 0, "10")],
  getPet: ["PETSTORE_GET_PET", choice(["served", "removed"], "served")],
} as const satisfies Record<
  string,
  readonly [variable: string, rule: v.GenericSchema<string | undefined, unknown>]
>;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: v.InferOutput<(typeof SETTINGS)[Name][1]>;
};

/** A variable, and what is wrong with it, as "must …, e.g. …". */
export interface Fault {
  readonly name: string;
  readonly fault: string;
}

/**
 * Reads every setting.
 *
 * @param storageFaults what the storages found wrong with their two settings
 * @throws UsageError with a line for each fault: the variable, the rule and an example, never the value
 */
export function readSettings(environment: NodeJS.ProcessEnv, storageFaults: readonly Fault[] = []): Settings {
  const faults = [...storageFaults];
  const values: Record<string, unknown> = {};
  for (const [name, [variable, rule]] of Object.entries(SETTINGS)) {
    const { output, issues } = v.safeParse(rule as v.GenericSchema, environment[variable]);
    values[name] = output;
    if (issues) faults.push({ name: variable, fault: issues[0].message });
  }
  if (faults.length === 0) return values as Settings;
  const lines = faults.map(({ name, fault }) => `  ${name} ${fault}`);
  for (const name of unknownSettings(environment)) lines.push(`  ${name} is not a setting; is it misspelt?`);
  throw new UsageError(`Fix these settings:\n${lines.join("\n")}`);
}

/** The names of the `PETSTORE_` variables that no setting has. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  const known: string[] = Object.values(SETTINGS).map(([variable]) => variable);
  return Object.keys(environment).filter((name) => name.startsWith("PETSTORE_") && !known.includes(name));
}

/**
 * Every setting, secrets masked, with the rule that it breaks; then the unknown variables.
 *
 * @param mask masks the secrets in a URL
 */
export function describeSettings(
  environment: NodeJS.ProcessEnv,
  storageFaults: readonly Fault[],
  mask: (url: string) => string,
) {
  const known = Object.values(SETTINGS).map(([name, rule]) => {
    const given = environment[name];
    const value = given ?? v.getDefault(rule) ?? null;
    const fault =
      storageFaults.find((fault) => fault.name === name)?.fault ??
      v.safeParse(rule as v.GenericSchema, given).issues?.[0].message ??
      null;
    // In a malformed URL any part may be the password.
    const isSecret = name === "PETSTORE_API_KEY" || (fault !== null && value?.includes("@"));
    const shown = value && (isSecret ? "***" : mask(value));
    return {
      name: name as string,
      value: shown,
      origin: given === undefined ? "default" : "environment",
      fault,
    };
  });
  const unknown = unknownSettings(environment);
  return [...known, ...unknown.map((name) => ({ name, value: "***", origin: "unknown", fault: null }))];
}
