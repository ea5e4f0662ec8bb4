import type { Storage } from "../application/storage-adapter.js";
import { CallFailed, describeError, describeFailure, type FailureKind, toText } from "./messages.js";
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
  /** How long an operation may take, in milliseconds; by default 30 s, to detect hangs. */
  readonly limit?: number;
  /** Gets an instance of a new, empty storage. Instances that it leaves open are closed afterwards. */
  check(storage: Storage, session: Session): Promise<void>;
}

/**
 * A storage broke a rule. `seen` is the call, what was expected and what was seen, in one line; of an error, its innermost
 * cause. `kind` is how a call failed, if one did. `cause` shows where; it holds only texts, as every reporter can print.
 */
export class RuleBroken extends Error {
  override readonly name = "RuleBroken";

  constructor(
    readonly rule: string,
    readonly seen: string,
    readonly kind?: FailureKind,
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
    const release = catchOutsideErrors((error) => session.end(error));
    tested.interrupted?.then(() => session.end(new HelperFailed("The case was interrupted.")));
    try {
      await check(await session.create(), session);
      await session.closeAll();
      // For late errors.
      await sleep(10);
      if (session.endedBy) throw session.endedBy;
    } catch (error) {
      const { lastCall } = session;
      // Report the first error, even if closing fails, too.
      await session.closeAll().catch(() => undefined);
      const failure = session.endedBy ?? error;
      if (failure instanceof HelperFailed) throw failure;
      const kind = failure instanceof CallFailed ? failure.kind : undefined;
      throw new RuleBroken(rule, describeFailure(failure, lastCall), kind, { cause: toText(failure) });
    } finally {
      release();
    }
  }
  return { name, rule, needs, run };
}

const EVENTS = ["uncaughtException", "unhandledRejection"];

/** Catches errors outside of any operation. The test runner, which cannot tell the rule, does not get them. */
function catchOutsideErrors(end: (error: CallFailed) => void): () => void {
  const report = (cause: unknown) => {
    const text = `an error outside of any operation, which would end the service: ${describeError(cause)}`;
    end(new CallFailed("outside", text, { cause }));
  };
  const listeners = EVENTS.map((event) => process.rawListeners(event) as (() => void)[]);
  for (const event of EVENTS) process.removeAllListeners(event).on(event, report);
  return () => {
    for (const [n, event] of EVENTS.entries()) {
      process.off(event, report);
      for (const listener of listeners[n] ?? []) process.on(event, listener);
    }
  };
}
