import type { PetRepository } from "../application/ports/pet-repository.js";
import { Instances } from "./instances.js";
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

/** A case as our files write it. */
export interface CaseParts<Repository> {
  readonly name: string;
  readonly rule: string;
  readonly needs?: readonly Need[];
  /** Gets an instance on a storage that is new and empty, and opens further ones by `instances`. */
  check(pets: Repository, instances: Instances): Promise<void>;
}

export function contractCase({ name, rule, needs = [], check }: CaseParts<PetRepository>): ContractCase {
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
