import type { PetRepository } from "../application/ports/pet-repository.js";
import { inTime } from "./deadlines.js";
import { Instances } from "./instances.js";
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

/** How long a case may take, in milliseconds; one of outages waits for the operator's commands, too. */
const LIMIT = { usual: 30_000, outage: 120_000 };

/** A case as the files in `cases` write it: `check` gets an instance on a storage that is new and empty. */
interface CaseParts extends Omit<ContractCase, "needs" | "run"> {
  readonly needs?: readonly Need[];
  check(pets: PetRepository, instances: Instances): Promise<void>;
}

export function contractCase({ name, rule, needs = [], check }: CaseParts): ContractCase {
  async function checkAndClose(storage: StorageUnderTest): Promise<void> {
    const instances = new Instances(storage);
    try {
      await check(await instances.open(), instances);
    } finally {
      await instances.closeAll();
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
