import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { createKeysFile } from "./adapters/keys/keys-file.js";
import { readSettings, type Settings, SettingsError, unknownSettings } from "./config.js";
import { buildPetstore, type Petstore } from "./container.js";

/** How long requests in flight may take to finish once the program was told to stop, in milliseconds. */
const STOP_PATIENCE = 10_000;

async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const log = pino({ level: settings.PETSTORE_LOG_LEVEL });
  for (const name of unknownSettings(process.env))
    log.warn({ name }, "unknown setting ignored; is it misspelt?");

  const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE);
  if (firstKey) console.log(`The first API key was made. It is shown only now: ${firstKey}`);
  const petstore = await buildPetstore(settings, log);
  try {
    await listen(petstore.server, settings);
  } catch (error) {
    await petstore.close();
    throw error;
  }
  const address = addressOf(petstore.server);
  console.log(`petstore listens on ${address}`);
  if (firstKey) console.log(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
  stopOnSignal(petstore);
}

async function listen(server: Server, { PETSTORE_HOST, PETSTORE_PORT }: Settings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(PETSTORE_PORT, PETSTORE_HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** SIGTERM and SIGINT: no new connection, requests in flight finish, the storage closes last. */
function stopOnSignal(petstore: Petstore): void {
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    petstore.app.stopping = true;
    const hardEnd = setTimeout(() => {
      petstore.server.closeAllConnections();
      process.exitCode = 1;
    }, STOP_PATIENCE);
    petstore.server.close(() => {
      clearTimeout(hardEnd);
      petstore.close().catch(fail);
    });
  };
  for (const signal of SIGNALS) process.on(signal, stop);
}

/** Without a listener a second signal ends the process at once, as signals do. */
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Says in plain words why the program cannot run. */
function fail(error: unknown): void {
  const expected = error instanceof SettingsError || (error instanceof Error && error.constructor === Error);
  console.error(`petstore: ${expected ? error.message : (error as Error).stack}`);
  process.exitCode = 1;
}

serve().catch(fail);
