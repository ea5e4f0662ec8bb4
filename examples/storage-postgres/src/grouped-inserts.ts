import type { Creation, IdempotencyRecord, NewPet } from "petstore/storage";
import type pg from "pg";
import { isOwnFault } from "./errors.js";
import { type Insert, insertPets } from "./insert-pets.js";

/** How many groups are under way at once, and how many pets a group has at most. */
const AT_ONCE = 2;
const GROUP_MOST = 500;

/** How long a create may wait for its insert, in milliseconds: soon after, its deadline refuses it. */
const PATIENCE = 3500;

interface WaitingInsert extends Insert {
  readonly since: number;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects creates. Those that wait at the same time share one insert, and with it one wait for the disk. */
export class GroupedInserts {
  private waiting: WaitingInsert[] = [];
  private underWay = 0;

  /** How many inserts were sent, for metrics. */
  sent = 0;

  constructor(private readonly pool: pg.Pool) {}

  add(pet: NewPet, record: IdempotencyRecord | undefined): Promise<Creation> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ pet, record, resolve, reject, since: performance.now() });
      // Creates that have arrived by now share the insert.
      if (this.waiting.length === 1) setImmediate(() => this.send());
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.underWay < AT_ONCE) {
      const group = this.waiting.splice(0, GROUP_MOST).filter(isInTime);
      if (group.length === 0) continue;
      this.underWay++;
      this.insert(group).finally(() => {
        this.underWay--;
        this.send();
      });
    }
  }

  private async insert(group: readonly WaitingInsert[]): Promise<void> {
    this.sent++;
    try {
      const creations = await insertPets(this.pool, group);
      group.forEach(({ resolve }, index) => {
        resolve(creations[index] as Creation);
      });
    } catch (error) {
      // One pet that cannot be stored must not fail the others.
      if (isOwnFault(error) && group.length > 1) await Promise.all(group.map((one) => this.insert([one])));
      else for (const { reject } of group) reject(error);
    }
  }
}

/** Rejects a create whose time is up: its client gets 503 anyway, so the pet need not be stored. */
function isInTime({ since, reject }: WaitingInsert): boolean {
  const inTime = performance.now() - since < PATIENCE;
  if (!inTime) reject(new Error(`no insert could be sent within ${PATIENCE} ms`));
  return inTime;
}
