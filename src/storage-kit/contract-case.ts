import type { Storage } from "../application/storage-adapter.js";
import { describeFailure, toText } from "./messages.js";
import { sleep } from "./samples.js";
import { HelperFailed, Session } from "./session.js";
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

/** A case as declared in `cases`. */
export interface Case extends Pick<ContractCase, "name" | "rule">, Partial<Pick<ContractCase, "needs">> {
  /** How long an operation may take (ms); by default 30 s, to detect hangs. */
  readonly limit?: number;
  /** Gets an instance of a new, empty storage. Instances that it leaves open are closed afterwards. */
  check(storage: Storage, session: Session): Promise<void>;
}

/**
 * A storage broke a rule. `seen` is the call, what was expected and what was seen, in one line; of an error, its innermost
 * cause. `cause` shows where; it holds only texts, as every reporter can print.
 */
export class RuleBroken extends Error {
  override readonly name = "RuleBroken";

  constructor(
    readonly rule: string,
    readonly seen: string,
    options?: ErrorOptions,
  ) {
    super(`${rule} Seen: ${seen}`, options);
  }
}

export function contractCase({ name, rule, needs = [], limit = 30_000, check }: Case): ContractCase {
  async function run(tested: StorageUnderTest): Promise<void> {
    const reason = whyNotAsked(needs, tested);
    if (reason) throw new Error(`"${name}" does not apply to this storage: ${reason}.`);
    const session = new Session(tested, limit);
    try {
      await check(await session.create(), session);
      await session.closeAll();
      // So that the test runner blames an error outside of any call on this case, not on the next one.
      await sleep(10);
    } catch (error) {
      const { lastCall } = session;
      // Report the first error, even if closing fails, too.
      await session.closeAll().catch(() => undefined);
      if (error instanceof HelperFailed) throw error;
      throw new RuleBroken(rule, describeFailure(error, lastCall), { cause: toText(error) });
    }
  }
  return { name, rule, needs, run };
}
