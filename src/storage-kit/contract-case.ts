import type { Storage } from "../application/storage-adapter.js";
import { CallFailed, describeFailure } from "./messages.js";
import { Session } from "./session.js";
import { type Need, type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

/** A rule that every storage keeps, with its check. */
export interface ContractCase {
  readonly name: string;
  readonly rule: string;
  /** What a storage must support for the case to run; see `whyNotAsked`. */
  readonly needs: readonly Need[];
  /** Checks a storage, and closes every instance that it opened. @throws RuleBroken if the rule does not hold */
  run(storage: StorageUnderTest): Promise<void>;
}

/** A storage broke a rule. `cause` is the failed assertion, or what the storage rejected with. */
export class RuleBroken extends Error {
  /** @param seen the call, what was expected and what was seen, in one line; of an error, its innermost cause */
  constructor(
    readonly rule: string,
    readonly seen: string,
    options?: ErrorOptions,
  ) {
    super(`${rule} Seen: ${seen}`, options);
    this.name = "RuleBroken";
  }
}

/** A case as declared in `cases`. */
export interface Case extends Pick<ContractCase, "name" | "rule"> {
  readonly needs?: readonly Need[];
  /** How long an operation may take, in milliseconds; by default 30 s, to detect hangs. */
  readonly limit?: number;
  /** Gets an instance of a new, empty storage. Instances that it leaves open are closed afterwards. */
  check(storage: Storage, tools: Tools): Promise<void>;
}

interface Tools extends Pick<Required<StorageUnderTest>, "reopen"> {
  readonly tested: StorageUnderTest;
  /** Closes an instance, and opens a new one. */
  restart(storage: Storage): Promise<Storage>;
}

export function contractCase({ name, rule, needs = [], limit = 30_000, check }: Case): ContractCase {
  async function run(tested: StorageUnderTest): Promise<void> {
    const reason = whyNotAsked(needs, tested);
    if (reason) throw new Error(`"${name}" cannot be asked of this storage, since ${reason}.`);
    const session = new Session(limit);
    const reopen = (mayMake?: boolean) => session.open(() => tested.reopen?.(mayMake) as Promise<Storage>);
    const restart = (storage: Storage) => storage.close().then(() => reopen());
    try {
      await check(await session.open(() => tested.open()), { tested, reopen, restart });
      await session.closeAll();
    } catch (error) {
      const seen = describeFailure(error, session.lastCall);
      // Report the first error, even if closing fails, too.
      await session.closeAll().catch(() => undefined);
      throw new RuleBroken(rule, seen, { cause: error instanceof CallFailed ? error.cause : error });
    }
  }
  return { name, rule, needs, run };
}
