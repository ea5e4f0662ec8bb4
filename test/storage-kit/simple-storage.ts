import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type ArchivedPet, PetConflict } from "../../src/application/ports/pet-archive.js";
import type { Creation, IdempotencyRecord, PetRange } from "../../src/application/ports/pet-repository.js";
import type { StorageReading } from "../../src/application/storage-adapter.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import type { NewPet, Pet } from "../../src/domain/pet.js";
import { LAST_ID } from "../../src/domain/pet.js";
import type { StorageUnderTest } from "../../src/storage-kit/storage-contract.js";

export interface Row extends Pet {
  readonly record: IdempotencyRecord | undefined;
}

/** A fake database, which outlives the instances that use it. */
export class Disk {
  rows: readonly Row[] = [];
  lastId = 0n;
  isMade = false;
  /** "down" refuses connections; "silent" accepts them, and never responds. */
  state: "there" | "down" | "silent" = "there";
  turn: Promise<unknown> = Promise.resolve();
}

/** A storage that keeps every rule, in small steps; a planted bug replaces one of them. */
export function simpleSteps(disk: Disk) {
  const steps = {
    create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
      const sent = steps.toRow(pet, record);
      return steps.transaction(async () => {
        const earlier = steps.findKey(sent.record?.key);
        if (earlier) return steps.replay(earlier, sent);
        const row = { ...sent, id: steps.nextId() };
        await steps.insert(row);
        return { pet: steps.toPet(row), earlierFingerprint: undefined };
      });
    },
    async get(id: bigint): Promise<Pet | undefined> {
      const [row] = await steps.select((one) => one.id === id, 1);
      return row && steps.toPet(row);
    },
    async list({ status, after, limit }: PetRange): Promise<Pet[]> {
      const rows = await steps.select((row) => row.id > after && (!status || row.status === status), limit);
      return rows.map((row) => steps.toPet(row));
    },
    async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
      const rows = await steps.select((row) => row.id > after, limit);
      return rows.map((row) => ({ pet: steps.toPet(row), record: row.record }));
    },
    storePets(pets: readonly ArchivedPet[]): Promise<void> {
      return steps.transaction(async () => {
        for (const { pet, record } of pets) {
          const row = { ...steps.toRow(pet, record), id: pet.id };
          const there = disk.rows.find(({ id }) => id === row.id) ?? steps.findKey(record?.key);
          if (there && !steps.isSame(there, row)) throw new PetConflict(pet.id);
          if (!there) await steps.insert(row);
          steps.raise(row.id);
        }
      });
    },
    async countPets(): Promise<number> {
      return (await steps.select(() => true, Number.POSITIVE_INFINITY)).length;
    },
    async highestId(): Promise<bigint> {
      await steps.reach();
      return disk.lastId;
    },
    raiseIds: (id: bigint): Promise<void> => steps.transaction(async () => steps.raise(id)),
    ping: (): Promise<void> => steps.reach(),
    async close(): Promise<void> {
      if (disk.state === "there") await disk.turn;
    },
    refuseToMake(): void {
      throw new Error("there is no such storage");
    },
    opened(_mayMake: boolean): void {},
    mask: (url: string): string => url.replace(/(:|password=)[^:=/@]+(@|$)/g, "$1***$2"),
    durable: (): boolean => true,
    shared: (): boolean => true,
    readings: (): StorageReading[] => [
      { name: "simple_pets", help: "Pets.", type: "gauge", read: () => disk.rows.length },
    ],
    keepsProcess: (): boolean => false,
    diskElsewhere: (): Disk => disk,

    /** Runs the work once all earlier work of every instance is done. */
    transaction<Result>(work: () => Promise<Result>): Promise<Result> {
      const done = disk.turn.then(() => steps.reach()).then(work);
      disk.turn = done.catch(() => undefined);
      return done;
    },
    async reach(): Promise<void> {
      await setImmediate();
      if (disk.state !== "there") throw storageUnavailable(new Error(`the disk is ${disk.state}`));
    },
    async select(where: (row: Row) => boolean, limit: number): Promise<Row[]> {
      await steps.reach();
      return disk.rows.filter(where).slice(0, limit);
    },
    toRow({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Omit<Row, "id"> {
      return { name, categoryId, status, record: record && { ...record } };
    },
    toPet: ({ id, name, categoryId, status }: Row): Pet => ({ id, name, categoryId, status }),
    replay(earlier: Row, _sent: Omit<Row, "id">): Creation {
      return { pet: steps.toPet(earlier), earlierFingerprint: earlier.record?.fingerprint };
    },
    findKey(key: string | undefined): Row | undefined {
      return key === undefined ? undefined : disk.rows.find(({ record }) => record?.key === key);
    },
    nextId(): bigint {
      if (disk.lastId >= LAST_ID) throw storageUnavailable(new Error("no id is left"));
      disk.lastId += 1n;
      return disk.lastId;
    },
    async insert(row: Row): Promise<void> {
      disk.rows = disk.rows.toSpliced(disk.rows.findLastIndex(({ id }) => id < row.id) + 1, 0, row);
    },
    raise(id: bigint): void {
      if (id > disk.lastId) disk.lastId = id;
    },
    isSame: (one: Row, other: Row): boolean => isDeepStrictEqual(one, other),
  };
  return steps;
}

export type Steps = ReturnType<typeof simpleSteps>;

/** Returns the steps that a bug replaces, for each instance; they may call the right ones. */
export type Change = (right: Steps, disk: Disk) => Partial<Steps>;

/** A storage to which every case applies. */
export function storageWith(change: Change = () => ({})): StorageUnderTest {
  const disks = new Map<string, Disk>();
  const diskOf = (url: string) => disks.get(url) ?? (disks.set(url, new Disk()).get(url) as Disk);
  let newest = diskOf("simple://host/0");
  function start(disk: Disk, mayMake = true): Steps {
    const steps = simpleSteps(disk);
    Object.assign(steps, change({ ...steps }, disk));
    if (!disk.isMade && !mayMake) steps.refuseToMake();
    disk.isMade = true;
    steps.opened(mayMake);
    return steps;
  }
  const turn = (state: Disk["state"]) => async () => {
    newest.state = state;
  };
  const { mask, durable, shared } = start(new Disk());
  return {
    adapter: {
      durable: durable(),
      shared: shared(),
      check: () => undefined,
      mask,
      async open(url, { mayMake, addReading }) {
        newest = diskOf(url);
        const steps = start(newest, mayMake);
        for (const reading of steps.readings()) addReading(reading);
        return { pets: steps, archive: steps, ping: steps.ping, close: steps.close };
      },
    },
    newUrl: () => `simple://host/${disks.size}`,
    archive: true,
    async deletePet(url, gone) {
      diskOf(url).rows = diskOf(url).rows.filter(({ id }) => id !== gone);
    },
    async createAndDie(url, pets, records) {
      const dying = start(start(diskOf(url)).diskElsewhere());
      const creations = await Promise.all(pets.map((pet, n) => dying.create(pet, records[n])));
      return creations.map(({ pet }) => pet);
    },
    useAndClose: async (url) => !start(diskOf(url)).keepsProcess(),
    outage: { down: turn("down"), up: turn("there") },
    pause: { down: turn("silent"), up: turn("there") },
  };
}
