import assert, { AssertionError } from "node:assert/strict";
import { mapPorts } from "../adapters/guard/around.js";
import { within } from "../adapters/guard/deadline.js";
import type { PetArchive } from "../application/ports/pet-archive.js";
import type { Storage } from "../application/ports/storage.js";
import { seenIn, watch } from "./seen.js";
import { type Need, type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

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
    /** The call, the answer expected, and the one seen, in one line; of an error, its innermost cause. */
    readonly seen: string,
    options?: ErrorOptions,
  ) {
    super(`${rule} Seen: ${seen}`, options);
    this.name = "RuleBroken";
  }
}

/** An open instance of the storage. */
export type Instance = Storage;

/** The storage of one case, and the way to further instances on it. */
interface Instances {
  readonly storage: StorageUnderTest;
  /** Opens one more storage, new and empty, which `reopen` means from now on. */
  open(): Promise<Instance>;
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
const LIMIT = { usual: 30_000, outage: 180_000 };

/** How long an instance may take to open, even while the storage is away, in milliseconds. */
export const OPENING = 10_000;

/** How long an instance may take to close, in milliseconds. */
const CLOSING = 10_000;

export function contractCase({ name, rule, needs = [], check }: Case): ContractCase {
  async function checkAndClose(storage: StorageUnderTest, pending: Set<string>): Promise<void> {
    const opened = new Set<Instance>();
    async function track(opening: () => Promise<Storage>): Promise<Instance> {
      const open = await inTime(() => "open()", watch({ open: opening }, pending).open(), OPENING);
      assert(open?.pets, "open() resolved to something else than { pets, ping, close }");
      const { ping, close, unarchived } = watch(open, pending);
      const instance: Instance = {
        ...mapPorts(open, (port) => watch(port, pending)),
        ...(unarchived && { unarchived }),
        // Some storages know it only once they have reached their server.
        get identity() {
          return open.identity;
        },
        ping,
        async close() {
          opened.delete(instance);
          await inTime(() => "close()", close(), CLOSING);
        },
      };
      opened.add(instance);
      return instance;
    }
    const open = () => track(() => storage.open());
    const reopen = () => track(async () => storage.reopen?.() as Promise<Storage>);
    async function restart(instance: Instance): Promise<Instance> {
      await instance.close();
      return reopen();
    }
    const closeAll = () => Promise.all([...opened].map((instance) => instance.close()));
    try {
      await check(await open(), { storage, open, reopen, restart });
    } catch (error) {
      // Whatever becomes of it, the first error is the one that leads to the fault.
      await closeAll().catch(() => undefined);
      throw error;
    }
    await closeAll();
  }

  async function run(storage: StorageUnderTest): Promise<void> {
    const reason = whyNotAsked(needs, storage);
    if (reason) throw new Error(`"${name}" cannot be asked of this storage, since ${reason}.`);
    const pending = new Set<string>();
    const first = () => [...pending][0] ?? "the case";
    const limit = needs.some((need) => need === "outage" || need === "pause") ? LIMIT.outage : LIMIT.usual;
    try {
      await inTime(first, checkAndClose(storage, pending), limit);
    } catch (error) {
      throw new RuleBroken(rule, seenIn(error), { cause: error });
    }
  }
  return { name, rule, needs, run };
}

/** The archive of an instance, for cases that need `archive`. */
export function archiveOf({ archive }: Instance): PetArchive {
  assert(archive, "the storage has no archive");
  return archive;
}

/** Settles as the work does; rejects if that takes longer than `milliseconds`, and `what` names the work then. */
export function inTime<Result>(
  what: () => string,
  work: Promise<Result>,
  milliseconds: number,
): Promise<Result> {
  const message = () => `${what()} did not settle within ${Math.floor(milliseconds / 1000)} s`;
  return within(milliseconds, work, () => new AssertionError({ message: message() }));
}
