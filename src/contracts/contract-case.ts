import type { PetRepository } from "../application/ports/pet-repository.js";
import { Instances } from "./instances.js";
import type { Need, StorageUnderTest } from "./storage-under-test.js";

/** One thing that every storage owes. */
export interface ContractCase {
  /** Tells the case from all others; short. */
  readonly name: string;
  /** What the storage owes, in the words of its port. */
  readonly rule: string;
  /** What the storage must offer for the case to be asked; see `whyNotAsked`. */
  readonly needs: readonly Need[];
  /** Asks a storage that is opened for this case. Closes what it opens. @throws RuleBroken if the rule does not hold */
  run(storage: StorageUnderTest): Promise<void>;
}

/** A storage broke a rule; the message has the rule and what was seen. */
export class RuleBroken extends Error {
  constructor(
    readonly rule: string,
    /** One line. */
    readonly seen: string,
    options?: ErrorOptions,
  ) {
    super(`${rule} Seen: ${seen}`, options);
    this.name = "RuleBroken";
  }
}

/**
 * Makes a case of a check.
 *
 * @param check gets the first instance on a storage that is new and empty, and the way to more instances
 */
export function contractCase(
  { name, rule, needs = [] }: { name: string; rule: string; needs?: readonly Need[] },
  check: (pets: PetRepository, instances: Instances) => Promise<void>,
): ContractCase {
  async function run(storage: StorageUnderTest): Promise<void> {
    const instances = new Instances(storage);
    try {
      try {
        await check(await instances.open(), instances);
      } finally {
        await instances.closeAll();
      }
    } catch (error) {
      throw new RuleBroken(rule, oneLine(error), { cause: error });
    }
  }
  return { name, rule, needs, run };
}

function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return `rejected with ${String(error)}, which is no Error`;
  const text = error.message.replace(/\s+/g, " ").trim();
  const { code } = error as { code?: unknown };
  if (code === "ERR_ASSERTION") return text;
  return `${error.name}${typeof code === "string" ? ` (${code})` : ""}: ${text}`;
}
