import { once } from "node:events";
import { createServer } from "node:net";
import { describeSettings } from "../settings.js";
import { Storages } from "../storages.js";
import { openKeyStore } from "./keys.js";
import { type Output, printJson, printTable, warn } from "./output.js";

export async function showConfig({ json }: Output): Promise<void> {
  const settings = await findSettings(process.env);
  const rows = settings.map(({ name, value, origin }) => [name, value ?? "-", origin]);
  await (json ? printJson(settings) : printTable([["SETTING", "VALUE", "FROM"], ...rows]));
  for (const { name, origin, fault } of settings) {
    if (origin === "unknown") warn(`${name} is not a setting; is it misspelt?`);
    if (fault !== null) warn(`${name} ${fault}`);
  }
  if (settings.some(({ fault }) => fault !== null)) process.exitCode = 2;
}

/** Every setting, secrets masked, with the reason why a start would refuse it. */
export async function findSettings(env: NodeJS.ProcessEnv) {
  const storages = await Storages.load(env.PETSTORE_STORAGE_ADAPTERS);
  const settings = describeSettings(env, storages.faultsOf(env), (url) => storages.mask(url));
  const values = Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));
  return Promise.all(
    settings.map(async (setting) => {
      return { ...setting, fault: setting.fault ?? (await faultAtStart(setting.name, values)) };
    }),
  );
}

/** Why a start would refuse a well-formed value. The ports may be in use, by the service itself. */
async function faultAtStart(name: string, values: Readonly<Record<string, string>>): Promise<string | null> {
  if (name === "PETSTORE_ADMIN_PORT" && values[name] === values.PETSTORE_PORT && values[name] !== "0") {
    const hosts = [values.PETSTORE_HOST ?? "", values.PETSTORE_ADMIN_HOST ?? ""];
    const overlap = hosts[0] === hosts[1] || hosts.some((host) => /^(?:0\.0\.0\.0|::|localhost)$/.test(host));
    if (overlap) return "must differ from PETSTORE_PORT";
  }
  try {
    if (name === "PETSTORE_KEYS_FILE") {
      await openKeyStore(values)
        .list()
        .catch((error) => {
          if (error.cause?.code !== "ENOENT") throw error;
        });
    }
    if (name.endsWith("_HOST")) {
      const server = createServer().listen({ host: values[name], port: 0 });
      await once(server, "listening");
      server.close();
    }
    return null;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}
