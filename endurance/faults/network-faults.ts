import { setTimeout as sleep } from "node:timers/promises";
import type { ClientProxy, NetworkTrouble } from "./client-proxy.js";
import { type Fault, inSeconds, someSeconds } from "./fault.js";
import type { Excuse } from "./troubles.js";

/** The longest delay in each direction, in milliseconds. */
const LONGEST_DELAY = 800;

/** The faults of the network between the clients and the service. */
export function networkFaults(network: ClientProxy): Fault[] {
  const lasting = (name: string, excuse: Excuse, trouble: NetworkTrouble): Fault => ({
    name,
    weight: 1,
    excuse,
    async play(random) {
      const lasts = someSeconds(random, 10);
      network.trouble = trouble;
      await sleep(lasts);
      network.trouble = {};
      // Bytes were lost, so that nothing sensible can follow on the same connection.
      if (trouble.silent) network.resetAll();
      return `for ${inSeconds(lasts)}`;
    },
  });
  return [
    {
      name: "all connections of clients reset",
      weight: 2,
      excuse: { breaks: true, heals: 500 },
      async play(random) {
        const times = random.between(1, 4);
        for (let done = 0; done < times; done++) {
          network.resetAll();
          await sleep(random.between(0, 1000));
        }
        return `${times} times`;
      },
    },
    lasting("a slow network", { delay: 4 * LONGEST_DELAY, heals: 2000 }, { delay: LONGEST_DELAY }),
    lasting("a network that breaks", { breaks: true, heals: 1000 }, { cuts: 150 }),
    // Clients give up after some time.
    lasting("a network that swallows all", { breaks: true, heals: 1000 }, { silent: true }),
  ];
}
