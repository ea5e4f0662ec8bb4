import { listen } from "./adapters/http/listen.js";
import { createKeysFile } from "./adapters/keys/keys-file.js";
import { maskSecrets, readSettings, type Settings, unknownSettings } from "./config.js";
import { buildPetstore, type Petstore } from "./container.js";
import { openLog } from "./log.js";

/** How long the storage may take to close, in milliseconds. */
const CLOSE_PATIENCE = 5000;

/** Serves the API and the admin port until a signal ends it; false where requests in flight had to be cut. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = readSettings(environment);
  const log = await openLog(settings.PETSTORE_LOG_LEVEL);
  for (const name of unknownSettings(environment)) {
    log.logger.warn({ name }, "unknown setting ignored; is it misspelt?");
  }
  const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE);
  if (firstKey) console.log(`The first API key was made. It is shown only now: ${firstKey}`);

  const petstore = await buildPetstore(settings, log);
  try {
    const addresses = await listenAt(petstore, settings);
    const stopAsked = signalled();
    // Who reads this may send a signal at once.
    announce(addresses, settings.PETSTORE_STORAGE, firstKey);
    const signal = await stopAsked;
    log.logger.info({ signal }, "stopping");
    const finished = await petstore.stop(settings.PETSTORE_STOP_TIMEOUT * 1000);
    if (finished) log.logger.info("stopped");
    else log.logger.error("stopped with requests in flight, which took too long");
    return finished;
  } finally {
    // A storage that does not let go must not keep the program.
    setTimeout(() => process.exit(1), CLOSE_PATIENCE).unref();
    await petstore.close();
  }
}

interface Addresses {
  readonly api: string;
  readonly admin: string;
}

async function listenAt({ server, adminServer }: Petstore, settings: Settings): Promise<Addresses> {
  const { PETSTORE_HOST, PETSTORE_PORT, PETSTORE_ADMIN_HOST, PETSTORE_ADMIN_PORT } = settings;
  return {
    api: await listen(server, PETSTORE_HOST, PETSTORE_PORT, { host: "PETSTORE_HOST", port: "PETSTORE_PORT" }),
    admin: await listen(adminServer, PETSTORE_ADMIN_HOST, PETSTORE_ADMIN_PORT, {
      host: "PETSTORE_ADMIN_HOST",
      port: "PETSTORE_ADMIN_PORT",
    }),
  };
}

/** The first line with an address is for programs that wait for the API's. One write: nobody reads half of it. */
function announce({ api, admin }: Addresses, storage: string, firstKey: string | undefined): void {
  const lines = [
    `petstore listens on ${api}`,
    `  documentation  ${api}/docs`,
    `  admin port     ${admin}`,
    `  storage        ${maskSecrets(storage)}`,
  ];
  if (firstKey) lines.push(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${api}/v1/pets`);
  console.log(lines.join("\n"));
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** What comes within this time of the first signal is the same signal: timeout(1), for one, sends it twice. */
const SAME_SIGNAL = 100;

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, as signals do. */
function signalled(): Promise<string> {
  return new Promise((resolve) => {
    const onSignal = (signal: string) => {
      resolve(signal);
      setTimeout(() => {
        for (const name of SIGNALS) process.off(name, onSignal);
      }, SAME_SIGNAL).unref();
    };
    for (const name of SIGNALS) process.on(name, onSignal);
  });
}
