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

/** Describes every setting, secrets masked, and why a start would refuse it. */
export async function findSettings(env: NodeJS.ProcessEnv) {
  const storages = await Storages.load(env);
  const settings = describeSettings(env, storages.faultsOf(env), (url) => storages.mask(url));
  const values = Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));
  for (const setting of settings) setting.fault ??= await faultAtStart(setting.name, values);
  return settings;
}

/** Returns why a start would refuse a well-formed value; null if it would not. */
async function faultAtStart(name: string, values: Readonly<Record<string, string>>): Promise<string | null> {
  const { PETSTORE_HOST: host = "", PETSTORE_ADMIN_HOST: adminHost = "", PETSTORE_PORT: port } = values;
  try {
    if (name === "PETSTORE_HOST") await listenOn(host);
    if (name === "PETSTORE_ADMIN_HOST") await listenOn(adminHost);
    if (name === "PETSTORE_KEYS_FILE") await readKeys(values);
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
  const isSamePort = name === "PETSTORE_ADMIN_PORT" && values[name] === port && port !== "0";
  const isWildcard = [host, adminHost].some((host) => /^(?:0\.0\.0\.0|::|localhost)$/.test(host));
  return isSamePort && (host === adminHost || isWildcard) ? "must differ from PETSTORE_PORT" : null;
}

/** Tries any free port, since the service itself may be using its own. */
async function listenOn(host: string): Promise<void> {
  const server = createServer().listen({ host, port: 0 });
  await once(server, "listening");
  server.close();
}

/** The file may be missing: the first start creates it. */
async function readKeys(env: NodeJS.ProcessEnv): Promise<void> {
  const reading = openKeyStore(env).list();
  await reading.catch((error) => {
    if (error.cause?.code !== "ENOENT") throw error;
  });
}
