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
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { type Disk, pause, type Row } from "./disk.js";

const KEYED = 2n ** 52n;

/** A storage that keeps every rule in small steps. Tests plant a bug into one of them. */
export class SimplePets implements PetRepository, PetArchive {
  protected closed = false;

  constructor(protected readonly disk: Disk) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const row = this.toRow(pet, record);
    return this.transaction(async () => {
      const earlier = this.findKey(row.key);
      if (earlier) return this.replay(earlier, row);
      const id = await this.nextId();
      this.insert({ ...row, id });
      return { pet: this.toPet({ ...row, id }), replayed: undefined };
    });
  }

  async get(id: bigint): Promise<Pet | undefined> {
    await this.read();
    const [row] = this.disk.select((one) => one.id === id, 1);
    return row && this.toPet(row);
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    await this.read();
    const rows = this.disk.select((row) => row.id > after && (!status || row.status === status), limit);
    return rows.map((row) => this.toPet(row));
  }

  async ping(): Promise<void> {
    await this.read();
  }

  async close(): Promise<void> {
    if (!this.disk.away) await this.transaction(async () => undefined);
    this.closed = true;
  }

  async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    await this.read();
    return this.disk.select((row) => row.id > after, limit).map((row) => this.toArchived(row));
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    await this.transaction(async () => {
      for (const { pet, record } of pets) {
        const row = { ...this.toRow(pet, record), id: pet.id };
        const there = this.disk.rows.find(({ id }) => id === row.id) ?? this.findKey(row.key);
        if (there && !this.isSame(there, row)) throw new PetConflict(pet.id);
        if (there) continue;
        this.insert(row);
        if (row.id < KEYED) this.raise(row.id);
      }
    });
  }

  async countPets(): Promise<number> {
    await this.read();
    return this.disk.rows.length;
  }

  async highestId(): Promise<bigint> {
    await this.read();
    return this.disk.lastId;
  }

  async raiseIds(id: bigint): Promise<void> {
    await this.transaction(async () => this.raise(id));
  }

  async writeMark(mark: string | undefined): Promise<void> {
    await this.transaction(async () => {
      this.disk.mark = mark;
    });
  }

  async readMark(): Promise<string | undefined> {
    await this.read();
    return this.disk.mark;
  }

  protected transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.disk.transaction(work);
  }

  protected async read(): Promise<void> {
    this.disk.check();
    await pause();
  }

  protected toRow({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Omit<Row, "id"> {
    return { name, categoryId, status, key: record?.key, fingerprint: record?.fingerprint };
  }

  protected toPet({ id, name, categoryId, status }: Row): Pet {
    return { id, name, categoryId, status };
  }

  protected toArchived(row: Row): ArchivedPet {
    const { key, fingerprint = "" } = row;
    return { pet: this.toPet(row), record: key === undefined ? undefined : { key, fingerprint } };
  }

  protected replay(earlier: Row, _again: Omit<Row, "id">): Creation {
    return { pet: this.toPet(earlier), replayed: earlier.fingerprint };
  }

  protected findKey(key: string | undefined): Row | undefined {
    if (key === undefined) return undefined;
    return this.disk.select((row) => row.key === key, 1)[0];
  }

  protected async nextId(): Promise<bigint> {
    do this.disk.lastId += 1n;
    while (this.disk.rows.some(({ id }) => id === this.disk.lastId));
    if (this.disk.lastId < 2n ** 53n) return this.disk.lastId;
    this.disk.lastId = 2n ** 53n - 1n;
    throw storageUnavailable(new Error("No id is left."));
  }

  protected insert(row: Row): void {
    this.disk.rows.push(row);
  }

  protected raise(id: bigint): void {
    if (id > this.disk.lastId) this.disk.lastId = id;
  }

  protected isSame(one: Row, other: Row): boolean {
    const members = ["id", "name", "categoryId", "status", "key", "fingerprint"] as const;
    return members.every((member) => one[member] === other[member]);
  }
}
