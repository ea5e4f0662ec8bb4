import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PROGRAM } from "../../test/support/start-program.js";
import type { HttpClient } from "../clients/http-client.js";
import type { Judge } from "../clients/judge.js";
import type { KeyRing } from "../clients/key-ring.js";
import { describeExchange } from "../history/exchange.js";
import type { Service } from "../service/service.js";
import type { Fault } from "./fault.js";

/** How long it may take until a change counts, in milliseconds: the promised 2 s, and more for a loaded machine. */
const COUNTS_AFTER = 2000 + 2000;

/** Adds keys with the command line, uses them, and revokes them. */
export function keyChange(service: Service, keys: KeyRing, client: HttpClient, judge: Judge): Fault {
  let made = 0;
  const petstore = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [PROGRAM, "keys", ...args], { env: service.settings }))
      .stdout;
  const check = async (key: string, expected: number) => {
    const exchange = await client.send({ method: "GET", path: "/v1/pets?limit=1" }, key);
    const { status } = exchange.answer ?? {};
    const { begun, took } = exchange;
    const wrong = (status === 200 || status === 401) && status !== expected;
    if (wrong && !judge.starvation.excuses(begun, begun + took)) {
      judge.findings.add("access", `a key gets ${status}, not ${expected}`, describeExchange(exchange));
    }
  };
  return {
    name: "a key added, used and revoked",
    weight: 2,
    excuse: { heals: 0 },
    async play(random) {
      const name = `endurance-${++made}`;
      const { secret } = JSON.parse(await petstore("add", name, "--json")) as { secret: string };
      await sleep(COUNTS_AFTER);
      await check(secret, 200);
      keys.add(secret);
      await sleep(random.between(1000, 10_000));
      keys.remove(secret);
      await client.settled();
      await petstore("revoke", name);
      await sleep(COUNTS_AFTER);
      await check(secret, 401);
      return "";
    },
  };
}
