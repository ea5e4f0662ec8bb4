import { pino } from "pino";
import { listen } from "./adapters/http/listen.js";
import { stoppable } from "./adapters/http/stop-server.js";
import { createKeysFile } from "./adapters/keys/keys-file.js";
import { readSettings, SettingsError, unknownSettings } from "./config.js";
import { buildPetstore } from "./container.js";

/** How long requests in flight may take to finish once the program was told to stop, in milliseconds. */
const STOP_PATIENCE = 10_000;

/** What comes within this time of the first signal is the same signal: timeout(1), for one, sends it twice. */
const SAME_SIGNAL = 100;

async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const log = pino({ level: settings.PETSTORE_LOG_LEVEL });
  for (const name of unknownSettings(process.env))
    log.warn({ name }, "unknown setting ignored; is it misspelt?");

  const firstKey = await createKeysFile(settings.PETSTORE_KEYS_FILE);
  if (firstKey) console.log(`The first API key was made. It is shown only now: ${firstKey}`);
  const petstore = await buildPetstore(settings, log);
  const stop = stoppable(petstore.app, petstore.server);
  try {
    const address = await listen(petstore.server, settings.PETSTORE_HOST, settings.PETSTORE_PORT);
    const stopAsked = signalled();
    // Who reads this line may send a signal at once.
    console.log(`petstore listens on ${address}`);
    if (firstKey) console.log(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
    await stopAsked;
    if (!(await stop(STOP_PATIENCE))) {
      log.warn("stopped with requests in flight, which took too long");
      process.exitCode = 1;
    }
  } finally {
    await petstore.close();
  }
}

/** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, as signals do. */
function signalled(): Promise<void> {
  const signals = ["SIGTERM", "SIGINT"] as const;
  return new Promise((resolve) => {
    const onSignal = () => {
      resolve();
      setTimeout(() => {
        for (const signal of signals) process.off(signal, onSignal);
      }, SAME_SIGNAL).unref();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}

/** Says in plain words why the program cannot run; what nobody foresaw is shown with its stack. */
function fail(error: Error): void {
  const expected = error instanceof SettingsError || error.constructor === Error;
  console.error(`petstore: ${expected ? withCause(error) : error.stack}`);
  process.exitCode = 1;
}

function withCause({ message, cause }: Error): string {
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}

serve().catch(fail);
