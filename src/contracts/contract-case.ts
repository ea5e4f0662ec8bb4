import assert, { AssertionError } from "node:assert/strict";
import type { PetArchive } from "../application/ports/pet-archive.js";
import { within } from "../storages/deadline.js";
import type { Storage } from "../storages/storage-adapter.js";
import { oneLine } from "./one-line.js";
import type { Need, StorageUnderTest } from "./storage-under-test.js";

/** One rule that every storage keeps, with a check. */
export interface ContractCase {
  /** A short name that no other case has. */
  readonly name: string;
  /** The rule in the words of the port. */
  readonly rule: string;
  /** The offers of a storage without which the case cannot run; see `whyNotAsked`. */
  readonly needs: readonly Need[];
  /** Checks a storage; closes every instance that it opens. @throws RuleBroken if the rule does not hold */
  run(storage: StorageUnderTest): Promise<void>;
}

/** A storage broke a rule; the message has the rule and how the storage behaved. */
export class RuleBroken extends Error {
  constructor(
    readonly rule: string,
    /** How the storage behaved, in one line. */
    readonly seen: string,
    options?: ErrorOptions,
  ) {
    super(`${rule} Seen: ${seen}`, options);
    this.name = "RuleBroken";
  }
}

/** An open instance of the storage. */
export type Instance = Pick<Storage, "pets" | "archive" | "ping" | "close">;

/** The storage of one case, and the way to further instances on it. */
interface Instances {
  readonly storage: StorageUnderTest;
  reopen(): Promise<Instance>;
  /** Closes an instance, and opens another one. */
  restart(instance: Instance): Promise<Instance>;
}

/** A case as the files in `cases` write it. */
export interface Case extends Omit<ContractCase, "needs" | "run"> {
  readonly needs?: readonly Need[];
  /** Gets an instance on a storage that is new and empty. What it leaves open is closed after it. */
  check(instance: Instance, instances: Instances): Promise<void>;
}

/** How long a case may take, in milliseconds; one of outages waits for the operator's commands, too. */
const LIMIT = { usual: 30_000, outage: 120_000 };

export function contractCase({ name, rule, needs = [], check }: Case): ContractCase {
  async function checkAndClose(storage: StorageUnderTest): Promise<void> {
    const opened = new Set<Instance>();
    async function keep(opening: Promise<Storage> | undefined): Promise<Instance> {
      const open = (await opening) as Storage;
      const instance: Instance = {
        pets: open.pets,
        ...(open.archive && { archive: open.archive }),
        ping: () => open.ping(),
        close() {
          opened.delete(instance);
          return open.close();
        },
      };
      opened.add(instance);
      return instance;
    }
    const reopen = () => keep(storage.reopen?.());
    async function restart(instance: Instance): Promise<Instance> {
      await instance.close();
      return reopen();
    }
    try {
      await check(await keep(storage.open()), { storage, reopen, restart });
    } finally {
      await Promise.all([...opened].map((instance) => instance.close()));
    }
  }
  async function run(storage: StorageUnderTest): Promise<void> {
    const limit = needs.includes("outage") ? LIMIT.outage : LIMIT.usual;
    try {
      await inTime("the case", checkAndClose(storage), limit);
    } catch (error) {
      throw new RuleBroken(rule, oneLine(error), { cause: error });
    }
  }
  return { name, rule, needs, run };
}

/** The archive of an instance, for cases that need `archive`. */
export function archiveOf({ archive }: Instance): PetArchive {
  assert(archive, "the storage has no archive");
  return archive;
}

/** Settles as the work does; rejects if that takes longer than `milliseconds`. */
export function inTime<Result>(what: string, work: Promise<Result>, milliseconds: number): Promise<Result> {
  const message = `${what} did not settle within ${Math.floor(milliseconds / 1000)} s`;
  return within(milliseconds, work, () => new AssertionError({ message }));
}
