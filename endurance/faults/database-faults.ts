import { setTimeout as sleep } from "node:timers/promises";
import type { MongodbProxy, Trouble } from "../../test/support/mongodb-proxy.js";
import { type Fault, inSeconds, someSeconds } from "./fault.js";

/** How long the service may take to find a database that is back, in milliseconds. */
const HEALS = 10_000;

const AWAY = { refusals: "all", heals: HEALS } as const;

interface Commands {
  down(): Promise<void>;
  up(): Promise<void>;
}

/** The faults of a database that is a server, and of the connections to it. */
export function databaseFaults(commands: Commands | undefined, proxy: MongodbProxy | undefined): Fault[] {
  return [...(commands ? [killed(commands)] : []), ...(proxy ? waysToDatabase(proxy) : [])];
}

function killed({ down, up }: Commands): Fault {
  return {
    name: "kill -9 of the database",
    weight: 2,
    excuse: AWAY,
    async play(random) {
      await down();
      const away = someSeconds(random, 12);
      await sleep(away);
      await up();
      return `away for ${inSeconds(away)}`;
    },
  };
}

function waysToDatabase(proxy: MongodbProxy): Fault[] {
  const lasting = (name: string, trouble: Trouble): Fault => ({
    name,
    weight: 1,
    excuse: AWAY,
    async play(random) {
      const lasts = someSeconds(random, 10);
      proxy.trouble = trouble;
      await sleep(lasts);
      // Messages were lost or are late, so that nothing sensible can follow on the same connections.
      await proxy.kill();
      proxy.trouble = {};
      await proxy.revive();
      return `for ${inSeconds(lasts)}`;
    },
  });
  return [
    lasting("a database that does not answer", { silent: true }),
    lasting("a database that resets", { reset: true }),
    lasting("a slow way to the database", { delay: 150 }),
    lasting("a write whose answer is lost", { cutBeforeAnswerTo: "insert" }),
    {
      name: "all connections to the database reset",
      weight: 2,
      excuse: AWAY,
      async play() {
        await proxy.kill();
        await proxy.revive();
        return "";
      },
    },
  ];
}
