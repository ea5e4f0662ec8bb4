import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import * as v from "valibot";
import { KEY_FORM } from "../application/ports/key-verifier.js";

/** The form of `PETSTORE_STORAGE` for each scheme; `container.ts` has the adapter of each. */
const STORAGE_FORMS = {
  memory: /^memory:$/,
  sqlite: /^sqlite:(?!:memory:$|file:).+/,
  mongodb: mongodbForm(/mongodb/, /[^\s/?#@,]+(,[^\s/?#@,]+)*/),
  "mongodb+srv": mongodbForm(/mongodb\+srv/, /[^\s/?#@,:]+/),
};

export type StorageScheme = keyof typeof STORAGE_FORMS;

const host = (rule: string) => v.optional(v.pipe(v.string(), v.check(isHost, rule)), "127.0.0.1");

const port = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535,
        "must be a port from 0 to 65535, e.g. 3000",
      ),
      v.transform(Number),
    ),
    fallback,
  );

const seconds = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => /^\d{1,4}$/.test(text) && Number(text) <= 3600,
        "must be a number of seconds from 0 to 3600, e.g. 10",
      ),
      v.transform(Number),
    ),
    fallback,
  );

const count = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,5}$/, `must be a whole number from 1 to 999999, e.g. ${fallback}`),
      v.transform(Number),
    ),
    fallback,
  );

const list = (isItem: (item: string) => boolean, rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((items) => items.split(",").map((item) => item.trim())),
      v.check((items) => items.every(isItem), rule),
    ),
  );

const text = (rule: string) => v.pipe(v.string(), v.nonEmpty(rule));

/** Every setting: its environment variable, default and rule. */
const FIELDS = v.object({
  PETSTORE_HOST: host("must be an address or host name to listen on, e.g. 127.0.0.1"),
  PETSTORE_PORT: port("3000"),
  PETSTORE_ADMIN_HOST: host(
    "must be an address or host name for the admin port to listen on, e.g. 127.0.0.1",
  ),
  PETSTORE_ADMIN_PORT: port("3001"),
  PETSTORE_STORAGE: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (url) => Object.values(STORAGE_FORMS).some((form) => form.test(url)),
        "must be memory:, sqlite:PATH or mongodb://HOST/DATABASE (in user and password every special character as %XX), e.g. sqlite:./data/petstore.db",
      ),
    ),
    "sqlite:./data/petstore.db",
  ),
  PETSTORE_KEYS_FILE: v.optional(text("must be a path, e.g. ./data/keys.json"), "./data/keys.json"),
  PETSTORE_API_KEY: v.optional(
    v.pipe(
      v.string(),
      v.regex(KEY_FORM, "must hold only letters, digits and - . _ ~ + /, e.g. a key printed at first start"),
    ),
  ),
  PETSTORE_PUBLIC_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(isOrigin, "must be an origin without a path, e.g. https://pets.example.org"),
      v.transform((url) => new URL(url).origin),
    ),
  ),
  PETSTORE_WORKERS: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^([1-9]\d?|auto)$/,
        "must be a number of processes from 1 to 99, or auto for one per core, e.g. 1",
      ),
      v.transform((workers) => (workers === "auto" ? availableParallelism() : Number(workers))),
    ),
    "1",
  ),
  PETSTORE_MAX_CONNECTIONS: count("10000"),
  PETSTORE_MAX_IN_FLIGHT: count("1000"),
  PETSTORE_RATE_LIMIT: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[1-9]\d{0,8}\/[1-9]\d{0,4}$/,
        "must be the requests that each key may make in so many seconds, REQUESTS/SECONDS, e.g. 600/60",
      ),
      v.transform((rate) => {
        const [requests, seconds] = rate.split("/").map(Number) as [number, number];
        return { requests, seconds };
      }),
    ),
  ),
  PETSTORE_CORS_ORIGINS: list(
    (url) => isOrigin(url) && !url.endsWith("/"),
    "must be origins without a path or a slash at the end, separated by commas, e.g. https://app.example.org",
  ),
  PETSTORE_TRUST_PROXY: list(
    isNetwork,
    "must be addresses or subnets of the reverse proxies, separated by commas, e.g. loopback,10.0.0.0/8",
  ),
  PETSTORE_LOG_LEVEL: v.optional(
    v.picklist(
      ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
      "must be one of trace, debug, info, warn, error, fatal, silent, e.g. info",
    ),
    "info",
  ),
  PETSTORE_STOP_TIMEOUT: seconds("10"),
  PETSTORE_GET_PET: v.optional(
    v.picklist(
      ["served", "removed"],
      "must be served, or removed to answer the deprecated GET /v1/pets/{petId} with 410, e.g. served",
    ),
    "served",
  ),
  // Of OpenTelemetry's standard variables those that turn traces on or off; its SDK reads the others by itself.
  OTEL_SDK_DISABLED: v.optional(v.string()),
  OTEL_TRACES_EXPORTER: v.optional(v.picklist(["otlp", "none"], "must be otlp or none, e.g. otlp")),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_PROTOCOL: v.optional(
    v.literal("http/protobuf", "must be http/protobuf, which is the only one that is spoken here"),
  ),
});

const SettingsSchema = v.pipe(
  FIELDS,
  v.forward(
    v.partialCheck(
      [["PETSTORE_STORAGE"], ["PETSTORE_WORKERS"]],
      (settings) => settings.PETSTORE_STORAGE !== "memory:" || settings.PETSTORE_WORKERS === 1,
      "must be 1 where PETSTORE_STORAGE is memory:, which each worker would have for itself; use sqlite:PATH for more, e.g. 1",
    ),
    ["PETSTORE_WORKERS"],
  ),
  v.forward(
    v.partialCheck(
      [["PETSTORE_HOST"], ["PETSTORE_PORT"], ["PETSTORE_ADMIN_HOST"], ["PETSTORE_ADMIN_PORT"]],
      ({ PETSTORE_HOST, PETSTORE_PORT, PETSTORE_ADMIN_HOST, PETSTORE_ADMIN_PORT }) =>
        PETSTORE_PORT !== PETSTORE_ADMIN_PORT ||
        PETSTORE_PORT === 0 ||
        !shareAddress(PETSTORE_HOST, PETSTORE_ADMIN_HOST),
      "must not be PETSTORE_PORT, since both listen on the same address, e.g. 0, which picks a free one",
    ),
    ["PETSTORE_ADMIN_PORT"],
  ),
);

export type Settings = v.InferOutput<typeof SettingsSchema>;

/** Whether the operator has turned traces on: by naming where they go, or what sends them. */
export function wantsTraces(settings: Settings): boolean {
  if (settings.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  if (settings.OTEL_TRACES_EXPORTER) return settings.OTEL_TRACES_EXPORTER === "otlp";
  return Boolean(settings.OTEL_EXPORTER_OTLP_ENDPOINT || settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/** Settings that the program cannot start with; the message lists every fault. */
export class SettingsError extends Error {}

/**
 * Reads the settings from environment variables.
 *
 * @throws SettingsError, with one line per fault: the variable, the rule and an example, never the value.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const result = v.safeParse(SettingsSchema, environment);
  if (result.success) return result.output;
  const lines = result.issues.map((issue) => `  ${v.getDotPath(issue)} ${issue.message}`);
  throw new SettingsError(`These settings need correcting:\n${lines.join("\n")}`);
}

/** A setting as `petstore config` shows it. */
interface SettingDescription {
  readonly name: string;
  /** As it was given, with secrets masked; null where it is not given and has no default. */
  readonly value: string | null;
  readonly origin: "environment" | "default";
  /** The rule that the value breaks; null where it breaks none. */
  readonly fault: string | null;
}

/** Every setting with the value it has now, then what looks like a setting and is none. */
export function describeSettings(
  environment: Readonly<Record<string, string | undefined>>,
): SettingDescription[] {
  const issues = v.safeParse(SettingsSchema, environment).issues ?? [];
  const settings = Object.entries(SettingsSchema.entries).map(([name, schema]) => {
    const given = environment[name];
    const value = given ?? schema.default ?? null;
    const fault = issues.find((issue) => v.getDotPath(issue) === name)?.message ?? null;
    // Where a URL is mistyped, nobody knows which part of it is the password.
    const isSecret =
      name === "PETSTORE_API_KEY" || (name === "PETSTORE_STORAGE" && fault !== null && value?.includes("@"));
    return {
      name,
      value: value && (isSecret ? MASK : maskSecrets(value)),
      origin: given === undefined ? ("default" as const) : ("environment" as const),
      fault,
    };
  });
  const unknown = unknownSettings(environment).map((name) => ({
    name,
    value: MASK,
    origin: "environment" as const,
    fault: "is not a setting; is it misspelt?",
  }));
  return [...settings, ...unknown];
}

const MASK = "***";

/** A URL without the password in its authority and without the options of MongoDB's that are secret. */
export function maskSecrets(url: string): string {
  return url
    .replace(/^([a-z0-9+.-]+:\/\/[^:/?#]*:).*@/i, `$1${MASK}@`)
    .replace(
      /([?&](?:tlsCertificateKeyFilePassword|proxyPassword|authMechanismProperties)=)[^&]*/gi,
      `$1${MASK}`,
    );
}

/** Names of variables that look like settings and are none, perhaps misspelt. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith("PETSTORE_") && !(name in SettingsSchema.entries),
  );
}

/** A MongoDB URL: user and password percent-encoded, a name that a database can have, and options. */
function mongodbForm(scheme: RegExp, hosts: RegExp): RegExp {
  const user = "([^\\s/?#@:]+(:[^\\s/?#@:]*)?@)?";
  const database = '[^\\s/?#@\\\\."$*<>:|%]{0,63}';
  return new RegExp(`^${scheme.source}://${user}${hosts.source}(/${database})?(\\?[^\\s#]*)?$`);
}

function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, origin } = new URL(url);
  return /^https?:$/.test(protocol) && (url === origin || url === `${origin}/`);
}

/** Whether it is an address, or may be the name of a host (RFC 1123, section 2.1; names within a site have `_` too). */
function isHost(text: string): boolean {
  const labels = text.split(".");
  const isName =
    labels.every((label) => /^\w([\w-]{0,61}\w)?$/.test(label)) && /\D/.test(labels.at(-1) ?? "");
  return isIP(text) !== 0 || (isName && text.length <= 253);
}

/** Whether who listens on the one takes the ports of the other. */
function shareAddress(host: string, other: string): boolean {
  const hosts = [host, other];
  // On Linux `::` takes the port of IPv4 as well; which one a name stands for is not known here.
  const isTaken =
    hosts.includes("::") || (hosts.includes("0.0.0.0") && !hosts.some((one) => isIP(one) === 6));
  return host === other || isTaken;
}

/** Whether it is an address, a subnet in CIDR notation, or `loopback`. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return text === "loopback" || (isIP(address) !== 0 && isPrefix && rest.length === 0);
}
