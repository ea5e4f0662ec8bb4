import { randomUUID } from "node:crypto";
import {
  type ArchivedPet,
  type PetArchive,
  PetConflict,
} from "../../../src/application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../../src/application/ports/pet-repository.js";
import type { Storage } from "../../../src/application/ports/storage.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";

export interface Row extends Pet {
  readonly key: string | undefined;
  readonly fingerprint: string | undefined;
}
export type Draft = Omit<Row, "id">;

/** A made-up database, which outlives the instances that use it. */
export class Disk {
  readonly name = randomUUID();
  rows: Row[] = [];
  lastId = 0n;
  away = false;
  /** Whether it accepts connections, but never greets or answers. */
  silent = false;
  /** Whether something keeps the process from ending once the storage is closed. */
  hold = false;
  turn: Promise<unknown> = Promise.resolve();

  /** The disk as a death of the process leaves it: what an instance writes later goes to the old one. */
  afterDeath(): Disk {
    return Object.assign(new Disk(), { name: this.name, rows: [...this.rows], lastId: this.lastId });
  }
}

/** A storage that keeps every rule in small steps, of which a planted bug replaces one. */
export class SimplePets implements PetRepository, PetArchive {
  closed = false;

  constructor(readonly disk: Disk) {}

  asStorage(): Storage {
    const [ping, close, unarchived] = [() => this.ping(), () => this.close(), () => this.unarchived()];
    return { pets: this, archive: this, identity: this.identity(), ping, close, unarchived };
  }

  refuseToMake(): void {
    throw new Error("there is no such storage");
  }

  identity(): string | undefined {
    return this.disk.name;
  }

  async unarchived(): Promise<string | undefined> {
    return undefined;
  }

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const draft = this.toDraft(pet, record);
    return this.transaction(async () => {
      const earlier = this.findKey(draft.key);
      if (earlier) return this.replay(earlier, draft);
      const row = { ...draft, id: await this.nextId() };
      await this.insert(row);
      return { pet: this.toPet(row), earlierFingerprint: undefined };
    });
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const [row] = await this.select((one) => one.id === id, 1);
    return row && this.toPet(row);
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    // The status first, since all rows are read for a rare one, and to compare bigints takes longer.
    const rows = await this.select((row) => (!status || row.status === status) && row.id > after, limit);
    return rows.map((row) => this.toPet(row));
  }

  async ping(): Promise<void> {
    await this.select(() => false, 0);
  }

  async close(): Promise<void> {
    if (!this.disk.away && !this.disk.silent) await this.transaction(async () => undefined);
    this.closed = true;
  }

  async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    const rows = await this.select((row) => row.id > after, limit);
    return rows.map((row) => this.toArchived(row));
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    await this.transaction(async () => {
      const byId = new Map(this.disk.rows.map((row) => [row.id, row]));
      const byKey = new Map(this.disk.rows.map((row) => [row.key, row]));
      for (const { pet, record } of pets) {
        const row = { ...this.toDraft(pet, record), id: pet.id };
        const there = byId.get(row.id) ?? (row.key === undefined ? undefined : byKey.get(row.key));
        if (there && !this.isSame(there, row)) throw new PetConflict(pet.id);
        if (there) continue;
        await this.insert(row);
        byId.set(row.id, row);
        byKey.set(row.key, row);
        this.raise(row.id);
      }
    });
  }

  async countPets(): Promise<number> {
    await this.ping();
    return this.disk.rows.length;
  }

  async highestId(): Promise<bigint> {
    await this.ping();
    return this.disk.lastId;
  }

  raiseIds(id: bigint): Promise<void> {
    return this.transaction(async () => this.raise(id));
  }

  /** Does the work once all earlier work of every instance is done. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.disk.turn.then(async () => {
      await this.reach();
      return work();
    });
    this.disk.turn = done.catch(() => undefined);
    return done;
  }

  async reach(): Promise<void> {
    await pause();
    if (this.disk.away || this.disk.silent) throw storageUnavailable(new Error("away"));
  }

  /** Reads in order of id. */
  async select(where: (row: Row) => boolean, limit: number): Promise<Row[]> {
    await this.reach();
    const found: Row[] = [];
    for (const row of this.disk.rows) {
      if (found.length === limit) break;
      if (where(row)) found.push(row);
    }
    return found;
  }

  toDraft({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Draft {
    return { name, categoryId, status, key: record?.key, fingerprint: record?.fingerprint };
  }

  toPet({ id, name, categoryId, status }: Row): Pet {
    return { id, name, categoryId, status };
  }

  toArchived(row: Row): ArchivedPet {
    const { key, fingerprint = "" } = row;
    return { pet: this.toPet(row), record: key === undefined ? undefined : { key, fingerprint } };
  }

  replay(earlier: Row, _again: Draft): Creation {
    return { pet: this.toPet(earlier), earlierFingerprint: earlier.fingerprint };
  }

  findKey(key: string | undefined): Row | undefined {
    return key === undefined ? undefined : this.disk.rows.find((row) => row.key === key);
  }

  async nextId(): Promise<bigint> {
    if (this.disk.lastId >= 2n ** 53n - 1n) throw storageUnavailable(new Error("No id is left."));
    this.disk.lastId += 1n;
    return this.disk.lastId;
  }

  async insert(row: Row): Promise<void> {
    const before = this.disk.rows.findLastIndex(({ id }) => id < row.id);
    this.disk.rows.splice(before + 1, 0, row);
  }

  raise(id: bigint): void {
    if (id > this.disk.lastId) this.disk.lastId = id;
  }

  isSame(one: Row, other: Row): boolean {
    const members = ["id", "name", "categoryId", "status", "key", "fingerprint"] as const;
    return members.every((member) => one[member] === other[member]);
  }
}

const timers = new Set<NodeJS.Timeout>();

/** Lets other tasks go first. */
export function pause(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds) timers.add(setTimeout(resolve, milliseconds));
    else setImmediate(resolve);
  });
}

/** Ends the pauses of a storage whose bug was found meanwhile. */
export function endPauses(): void {
  timers.forEach(clearTimeout);
  timers.clear();
}
