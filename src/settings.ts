import proxyAddress from "proxy-addr";
import * as v from "valibot";
import { KEY_FORM } from "./adapters/keys/api-key.js";
import { DEFAULT_STORAGE, type Storages } from "./storages.js";
import { UsageError } from "./usage-error.js";

/** A text that has no fault. */
const text = (faultOf: (value: string) => string | undefined) =>
  v.pipe(
    v.string(),
    v.check(
      (value) => !faultOf(value),
      ({ input }) => String(faultOf(input)),
    ),
  );
const matching = (form: RegExp, rule: string) => v.pipe(v.string(), v.regex(form, rule));
const number = (form: RegExp, rule: string) => v.pipe(matching(form, rule), v.transform(Number));
const choice = <const Names extends readonly string[]>(names: Names, fallback: Names[number]) =>
  v.optional(v.picklist(names, `must be one of ${names.join(", ")}`), fallback);

const host = v.optional(matching(/^\S+$/, "must be an address to listen on, e.g. 127.0.0.1"), "127.0.0.1");
/** Kubernetes sets PETSTORE_PORT for a Service named petstore. */
const KUBERNETES = "in Kubernetes set enableServiceLinks: false";
const port = (fallback: string) => {
  const rule = `must be a port from 0 to 65535, e.g. ${fallback}; ${KUBERNETES}`;
  return v.optional(v.pipe(number(/^\d{1,5}$/, rule), v.maxValue(65_535, rule)), fallback);
};

const count = (fallback: string) =>
  v.optional(number(/^[1-9]\d{0,5}$/, `must be a number from 1 to 999999, e.g. ${fallback}`), fallback);

const split = (items: string) => items.split(",").map((item) => item.trim());
const list = (isItem: (item: string) => boolean, rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform(split),
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

/** Every setting: its environment variable, rule and default. */
const schemaFor = (storages: Storages) =>
  v.object({
    PETSTORE_HOST: host,
    PETSTORE_PORT: port("3000"),
    PETSTORE_ADMIN_HOST: host,
    PETSTORE_ADMIN_PORT: port("3001"),
    PETSTORE_STORAGE: v.optional(
      text((url) => storages.check(url)),
      DEFAULT_STORAGE,
    ),
    PETSTORE_STORAGE_ADAPTERS: v.optional(text(() => storages.faults.join("; "))),
    PETSTORE_READ_ONLY: choice(["true", "false"], "false"),
    PETSTORE_KEYS_FILE: v.optional(
      matching(/^\P{Cc}+$/u, "must be a path, e.g. ./data/keys.json"),
      "./data/keys.json",
    ),
    PETSTORE_API_KEY: v.optional(
      matching(KEY_FORM, "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start"),
    ),
    PETSTORE_PUBLIC_URL: v.optional(
      v.pipe(
        v.string(),
        v.transform((url) => url.replace(/\/$/, "")),
        v.check(isOrigin, "must be an origin without a path, e.g. https://pets.example.org"),
      ),
    ),
    PETSTORE_MAX_CONNECTIONS: count("10000"),
    PETSTORE_MAX_IN_FLIGHT: count("1000"),
    PETSTORE_RATE_LIMIT: v.optional(
      v.pipe(
        matching(/^[1-9]\d{0,8}\/[1-9]\d{0,4}$/, "must be REQUESTS/SECONDS for each key, e.g. 600/60"),
        v.transform((rate) => ({ requests: Number.parseInt(rate, 10), seconds: Number(rate.split("/")[1]) })),
      ),
    ),
    PETSTORE_CORS_ORIGINS: list(
      isOrigin,
      "must be origins without a path, separated by commas, e.g. https://app.example.org",
    ),
    PETSTORE_TRUST_PROXY: list(
      isNetwork,
      "must be addresses or subnets of the reverse proxies, separated by commas, e.g. loopback,10.0.0.0/8",
    ),
    PETSTORE_LOG_LEVEL: choice(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "info"),
    PETSTORE_STOP_TIMEOUT: v.optional(number(/^\d{1,4}$/, "must be seconds from 0 to 9999, e.g. 10"), "10"),
    PETSTORE_GET_PET: choice(["served", "removed"], "served"),
  });

export type Settings = v.InferOutput<ReturnType<typeof schemaFor>>;

/** @throws UsageError with a line for each fault: the variable, the rule and an example, never the value */
export function readSettings(environment: NodeJS.ProcessEnv, storages: Storages): Settings {
  const result = v.safeParse(schemaFor(storages), environment);
  if (result.success) return result.output;
  const faults = result.issues.map((issue) => `  ${v.getDotPath(issue)} ${issue.message}`);
  throw new UsageError(`Fix these settings:\n${faults.join("\n")}`);
}

/** Every setting, secrets masked, with the rule that it breaks; then the unknown `PETSTORE_` variables. */
export function describeSettings(environment: NodeJS.ProcessEnv, storages: Storages) {
  const { entries } = schemaFor(storages);
  const unknown = Object.keys(environment).filter((name) => /^PETSTORE_/.test(name) && !(name in entries));
  const known = Object.entries(entries).map(([name, entry]) => {
    const value = environment[name] ?? entry.default ?? null;
    const fault = v.safeParse(entry, environment[name]).issues?.[0].message ?? null;
    // In a malformed URL any part may be the password.
    const isSecret = name === "PETSTORE_API_KEY" || (fault !== null && value?.includes("@"));
    const shown = value && (isSecret ? "***" : storages.mask(value));
    const origin = environment[name] === undefined ? ("default" as const) : ("environment" as const);
    return { name, value: shown, origin, fault };
  });
  const rest = unknown.map((name) => ({ name, value: "***", origin: "unknown" as const, fault: null }));
  return [...known, ...rest];
}
