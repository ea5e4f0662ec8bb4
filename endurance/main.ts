import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "./client.js";
import { playFaults, processFaults, storageFaults } from "./faults.js";
import { Findings } from "./findings.js";
import { History } from "./history.js";
import { HostileClients } from "./hostile.js";
import { Judge } from "./judge.js";
import { Load } from "./load.js";
import { openProxies } from "./proxies.js";
import { Random } from "./random.js";
import { report } from "./report.js";
import { API_KEY, Service } from "./service.js";
import { Troubles } from "./troubles.js";
import { Watch } from "./watch.js";

const { values: options } = parseArgs({
  options: {
    for: { type: "string", default: "5m" },
    storage: { type: "string", default: "sqlite:pets.db" },
    rate: { type: "string", default: "100" },
    pause: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    down: { type: "string" },
    up: { type: "string" },
    proxies: { type: "string" },
    also: { type: "string" },
  },
});

function number(name: "rate" | "pause" | "seed"): number {
  const text = options[name];
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
}

/** A duration like `90s`, `5m` or `24h`, in milliseconds. */
function duration(text: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (!count) throw new Error("--for must be a number with s, m or h, e.g. 90s, 5m or 24h");
  return Number(count) * { s: 1000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
}

const lasts = duration(options.for);
const seed = number("seed");
const folder = mkdtempSync(join(tmpdir(), "petstore-endurance-"));
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort()).once("SIGTERM", () => stopping.abort());

const troubles = new Troubles();
const findings = new Findings(() => troubles.lately(), console.error);
const history = new History(findings, new Random(seed), `e${seed}-${Date.now().toString(36)}`);
const proxied = options.proxies ? await openProxies(options.proxies, options.storage) : undefined;
const { faults, env } = proxied ?? storageFaults(options.storage, folder, options);
const PETSTORE_STORAGE = proxied?.url ?? options.storage;
const service = await Service.create(folder, { ...env, PETSTORE_STORAGE }, options.also);
const client = new Client(service.port, API_KEY);
const judge = new Judge(findings, troubles);
const load = new Load(client, judge, history, new Random(seed + 1));
const hostile = new HostileClients(service.port, new Random(seed + 2), findings, troubles);
const watch = new Watch(service, findings, () => client.connections + hostile.connections);
const common = { troubles, findings, service, stopping: stopping.signal };
try {
  await service.start();
  await service.ready(10_000);
  const running = load.run(number("rate"));
  // Faults of the process and of the storage may meet.
  const disturbing = [
    playFaults(processFaults(service, troubles), number("pause"), {
      ...common,
      random: new Random(seed + 3),
    }),
    playFaults(faults, number("pause"), { ...common, random: new Random(seed + 4) }),
    hostile.run(stopping.signal),
  ];
  await sleep(lasts, undefined, { signal: stopping.signal }).catch(() => {});
  stopping.abort();
  await Promise.all(disturbing);
  await load.stop();
  await running;
  await service.ready(20_000);
  await sleep(10_000);
  await load.verify();
  const withFirstKey = new Client(service.port, service.firstKey);
  judge.judge(await withFirstKey.send({ method: "GET", path: "/v1/pets" }), 200);
  withFirstKey.close();
  watch.stop();
  await service.stop();
} catch (error) {
  findings.add("recovery", `the run ended early: ${(error as Error).stack}`);
} finally {
  watch.stop();
  client.close();
  service.close();
}
const storage = PETSTORE_STORAGE.replace(/\/\/[^/@]*@/, "//…@");
const turns = options.also ? `, in turn with ${options.also}` : "";
const what = `endurance of ${options.for} on ${storage}${turns}, seed ${seed}`;
console.log(
  report({ what, stored: history.stored, hostile: hostile.count, judge, service, watch, troubles, findings }),
);
if (findings.total === 0) rmSync(folder, { recursive: true });
else console.log(`The storage and the log of the service are in ${folder}.`);
process.exit(findings.total === 0 ? 0 : 1);
