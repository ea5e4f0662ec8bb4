import * as v from "valibot";
import { KEY_FORM } from "../adapters/keys/api-key.js";
import type { KnownStorages } from "../storages/known-storages.js";
import { isHost, isHostOrSocket, isNetwork, isOrigin, shareAddress } from "./addresses.js";
import { faultySettings } from "./settings-error.js";
import { storage, storageModules } from "./storage-rules.js";
import { count, host, list, port, seconds } from "./value-types.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting: its environment variable, default and rule. */
const fields = (storages: KnownStorages) => ({
  PETSTORE_HOST: host(
    isHostOrSocket,
    "must be an address or host name to listen on, or unix:/PATH for a Unix socket, e.g. 127.0.0.1",
  ),
  PETSTORE_PORT: port("3000"),
  PETSTORE_ADMIN_HOST: host(
    isHost,
    "must be an address or host name for the admin port to listen on, e.g. 127.0.0.1",
  ),
  PETSTORE_ADMIN_PORT: port("3001"),
  PETSTORE_STORAGE: storage(storages),
  PETSTORE_STORAGE_ADAPTERS: storageModules(storages),
  PETSTORE_READ_ONLY: v.optional(
    v.pipe(
      v.picklist(["true", "false"], "must be true or false, e.g. false"),
      v.transform((text) => text === "true"),
    ),
    "false",
  ),
  PETSTORE_KEYS_FILE: v.optional(
    // A stray carriage return would be part of the name of a new file.
    v.pipe(v.string(), v.regex(/^\P{Cc}+$/u, "must be a path, e.g. ./data/keys.json")),
    "./data/keys.json",
  ),
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
  /** A setting of earlier versions. Any other value is ignored. */
  PETSTORE_WORKERS: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (workers) => workers !== "auto" && !(Number(workers) > 1),
        "must be left out: the service is one process, and further ones are instances, e.g. systemctl enable --now petstore@2",
      ),
    ),
  ),
});

/** Every setting, and the rules between settings. */
export const settingsSchema = (storages: KnownStorages) =>
  v.pipe(
    v.object(fields(storages)),
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

export type Settings = v.InferOutput<ReturnType<typeof settingsSchema>>;

/**
 * Reads the settings from environment variables. `describe-settings.ts` finds variables that look like settings and are
 * none.
 *
 * @throws SettingsError, with one line per fault: the variable, the rule and an example, never the value.
 */
export function readSettings(environment: Environment, storages: KnownStorages): Settings {
  const result = v.safeParse(settingsSchema(storages), environment);
  if (result.success) return result.output;
  throw faultySettings(result.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`));
}
