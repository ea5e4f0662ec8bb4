import { exec, execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { DatabaseSync } from "@photostructure/sqlite";
import { SlowDisk } from "../test/support/slow-disk.js";
import type { Findings } from "./findings.js";
import type { Random } from "./random.js";
import type { Service } from "./service.js";
import type { Excuse, Troubles } from "./troubles.js";

export interface Fault {
  readonly name: string;
  readonly excuse: Excuse;
  /** Begins the fault, and ends it. @throws Error that says which promise the service does not keep */
  play(random: Random): Promise<unknown>;
}

const DOWN: Excuse = { breaks: true, refuses: "all", late: 5000, heals: 2000 };

/** What clients may notice if the database is away. */
export const AWAY: Excuse = { refuses: "all", late: 1000, heals: 10_000 };

/** How long a fault lasts, in milliseconds: from one second to eight, mostly short. */
export const lasting = (random: Random) => 1000 + 7000 * random.next() ** 2;

/** The faults of the service's process. */
export function processFaults(service: Service, troubles: Troubles): Fault[] {
  // A service cannot start while a fault of its storage lasts beside that of the process.
  const start = () => service.start(() => troubles.lasting > 1);
  return [
    {
      name: "kill -9 of the service",
      excuse: DOWN,
      async play() {
        await service.kill();
        await start();
      },
    },
    {
      name: "SIGTERM and start",
      excuse: DOWN,
      async play(random) {
        await service.stop();
        await sleep(random.between(0, 1000));
        await start();
      },
    },
    {
      name: "the service stands still (SIGSTOP)",
      excuse: { late: 5000, refuses: "all", heals: 1000 },
      async play(random) {
        service.signal("SIGSTOP");
        await sleep(random.between(500, 4000));
        service.signal("SIGCONT");
      },
    },
  ];
}

/** What takes a storage away, and the settings that the service needs for it. */
export interface StorageFaults {
  readonly faults: readonly Fault[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Commands {
  readonly down?: string | undefined;
  readonly up?: string | undefined;
}

export function storageFaults(url: string, folder: string, { down, up }: Commands): StorageFaults {
  if (down && up) return { faults: [commands(down, up)], env: {} };
  if (!url.startsWith("sqlite:")) return { faults: [], env: {} };
  const locked: Fault = {
    name: "another program locks the file",
    excuse: { refuses: "creates", late: 1000, heals: 2000 },
    async play(random) {
      const database = new DatabaseSync(join(folder, url.slice("sqlite:".length)), { timeout: 10_000 });
      database.exec("BEGIN IMMEDIATE");
      await sleep(lasting(random));
      database.exec("ROLLBACK");
      database.close();
    },
  };
  if (!hasCompiler()) return { faults: [locked], env: {} };
  const disk = new SlowDisk(folder);
  const faulty = (name: string, begin: () => void): Fault => ({
    name,
    excuse: { refuses: "creates", late: 1000, heals: 3000 },
    async play(random) {
      begin();
      await sleep(lasting(random));
      disk.heal();
    },
  });
  return {
    faults: [
      locked,
      faulty("the disk stands still", () => disk.standStill()),
      faulty("the disk is full", () => disk.fill()),
    ],
    env: disk.env,
  };
}

function commands(down: string, up: string): Fault {
  return {
    name: "the database is away",
    excuse: AWAY,
    async play(random) {
      await promisify(exec)(down);
      await sleep(lasting(random));
      await promisify(exec)(up);
    },
  };
}

function hasCompiler(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Plays faults one after the other, with pauses of so many seconds on average, until `stopping`. */
export async function playFaults(
  faults: readonly Fault[],
  pause: number,
  parts: { random: Random; troubles: Troubles; findings: Findings; service: Service; stopping: AbortSignal },
): Promise<void> {
  const { random, troubles, findings, service, stopping } = parts;
  while (faults.length > 0) {
    await sleep(random.pause(1 / pause), undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    const { name, excuse, play } = random.pick(faults);
    const end = troubles.begin(name, excuse);
    try {
      await play(random);
      end();
      // A service that another fault disturbs meanwhile is looked at when that one ends.
      if (troubles.lasting === 0) await service.ready(excuse.heals + 2000);
    } catch (error) {
      findings.add("recovery", `${name}: ${(error as Error).message}`);
      await service.start(() => troubles.lasting > 1).catch(() => {});
      end();
    }
  }
}
