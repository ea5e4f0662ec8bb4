import type { Storage } from "../application/storage-adapter.js";
import { describeFailure, toText } from "./messages.js";
import { sleep } from "./samples.js";
import { HelperFailed, Session } from "./session.js";
import { type Need, type StorageUnderTest, whyNotAsked } from "./storage-under-test.js";

export interface ContractCase {
  readonly name: string;
  readonly rule: string;
  /** The case runs only on storages that support all of these; see `whyNotAsked`. */
  readonly needs: readonly Need[];
  /** Checks a storage, and closes all its instances. @throws RuleBroken if the rule does not hold */
  run(storage: StorageUnderTest): Promise<void>;
}

export interface Case extends Pick<ContractCase, "name" | "rule">, Partial<Pick<ContractCase, "needs">> {
  /** How long an operation may take (ms); by default 30 s, to detect hangs. */
  readonly limit?: number;
  /** Receives an instance of a new, empty storage. Instances left open are closed afterwards. */
  check(storage: Storage, session: Session): Promise<void>;
}

/**
 * A storage broke a rule. `seen` names the call, the expected and the actual result in one line, or the
 * innermost cause of an error. `cause` shows the place, in texts only, which every reporter can print.
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
      // A test runner then blames an error outside of any call on this case, not on the next one.
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
