import type { ArchivedPet } from "../../../../src/application/ports/pet-archive.js";
import type { Creation } from "../../../../src/application/ports/pet-repository.js";
import type { Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug, type Draft } from "./bug.js";

/** Bugs: an archive changes or loses pets that move. */
export const ARCHIVES: readonly Bug[] = [
  bug(
    "overwrites a stored pet",
    "archive: refuses a conflict",
    class extends SimplePets {
      protected override isSame(): boolean {
        return true;
      }
    },
  ),
  bug(
    "does not compare records",
    "archive: refuses a conflict",
    class extends SimplePets {
      protected override isSame(one: Row, other: Row): boolean {
        return super.isSame({ ...one, key: other.key, fingerprint: other.fingerprint }, other);
      }
    },
  ),
  bug(
    "refuses a batch that is stored already",
    "archive: takes a batch again",
    class extends SimplePets {
      protected override isSame(): boolean {
        return false;
      }
    },
  ),
  bug(
    "does not raise its ids by what it stores",
    "archive: gives no id that was stored",
    class extends SimplePets {
      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        const { lastId } = this.disk;
        await super.storePets(pets);
        this.disk.lastId = lastId;
      }
    },
  ),
  bug(
    "raises its ids by keyed ones",
    "archive: keeps keyed ids out of the sequence",
    class extends SimplePets {
      protected override insert(row: Row): void {
        super.insert(row);
        this.raise(row.id);
      }
    },
  ),
  bug(
    "lowers ids as well as raises them",
    "archive: raises ids",
    class extends SimplePets {
      protected override raise(id: bigint): void {
        this.disk.lastId = id;
      }
    },
  ),
  bug(
    "gives ids beyond 2^53",
    "archive: raises ids",
    class extends SimplePets {
      protected override async nextId(): Promise<bigint> {
        this.disk.lastId += 1n;
        return this.disk.lastId;
      }
    },
  ),
  bug(
    "raises ids in memory alone",
    "archive: keeps raised ids over a restart",
    class extends SimplePets {
      private raised = 0n;
      override async raiseIds(id: bigint): Promise<void> {
        this.raised = id;
      }
      protected override async nextId(): Promise<bigint> {
        this.raise(this.raised);
        return super.nextId();
      }
    },
  ),
  bug(
    "answers max(id) as the highest",
    "archive: remembers an id that is gone",
    class extends SimplePets {
      override async highestId(): Promise<bigint> {
        return this.disk.rows.reduce((max, { id }) => (id > max ? id : max), 0n);
      }
    },
  ),
  bug(
    "loses records on the way out",
    "archive: reads pets with their records",
    class extends SimplePets {
      protected override toArchived(row: Row): ArchivedPet {
        return { pet: this.toPet(row), record: undefined };
      }
    },
  ),
  bug(
    "tells the last fingerprint of a record",
    "archive: reads pets with their records",
    class extends SimplePets {
      protected override replay(earlier: Row, again: Draft): Creation {
        const answer = super.replay(earlier, again);
        Object.assign(earlier, { fingerprint: again.fingerprint });
        return answer;
      }
    },
  ),
  bug(
    "loses records on the way in",
    "archive: stores pets under their ids",
    class extends SimplePets {
      override storePets(pets: readonly ArchivedPet[]): Promise<void> {
        return super.storePets(pets.map(({ pet }) => ({ pet, record: undefined })));
      }
    },
  ),
  bug(
    "reads from the id `after` on",
    "archive: reads after an id",
    class extends SimplePets {
      override readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
        return super.readPets({ ...range, after: range.after - 1n });
      }
    },
  ),
  bug(
    "stores the first 500 of a batch",
    "archive: takes a whole batch",
    class extends SimplePets {
      override storePets(pets: readonly ArchivedPet[]): Promise<void> {
        return super.storePets(pets.slice(0, 500));
      }
    },
  ),
  bug(
    "ignores ids below the highest",
    "archive: fills gaps",
    class extends SimplePets {
      override storePets(pets: readonly ArchivedPet[]): Promise<void> {
        return super.storePets(pets.filter(({ pet }) => pet.id > this.disk.lastId));
      }
    },
  ),
  bug(
    "keeps the mark in memory",
    "archive: keeps a mark over a restart",
    class extends SimplePets {
      private own: string | undefined;
      override async writeMark(mark: string | undefined): Promise<void> {
        this.own = mark;
      }
      override async readMark(): Promise<string | undefined> {
        return this.own;
      }
    },
  ),
  bug(
    "does not remove a mark",
    "archive: keeps a mark",
    class extends SimplePets {
      override async writeMark(mark: string | undefined): Promise<void> {
        if (mark) await super.writeMark(mark);
      }
    },
  ),
  bug(
    "reads at most 99 at a time",
    "archive: reads everything in pages",
    class extends SimplePets {
      override readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
        return super.readPets({ ...range, limit: Math.min(range.limit, 99) });
      }
    },
  ),
  bug(
    "counts with a bigint",
    "archive: tells how many",
    class extends SimplePets {
      override async countPets(): Promise<number> {
        return BigInt(await super.countPets()) as unknown as number;
      }
    },
  ),
  bug(
    "stores int64 as a double",
    "archive: stores exactly",
    class extends SimplePets {
      override storePets(pets: readonly ArchivedPet[]): Promise<void> {
        const rounded = pets.map(({ pet, record }) => ({
          pet: { ...pet, categoryId: BigInt(Number(pet.categoryId)) },
          record,
        }));
        return super.storePets(rounded);
      }
    },
  ),
  bug(
    "gives ids of its block that another instance has stored",
    "archive: raises ids of every instance",
    class extends SimplePets {
      private next = 0n;
      private end = 0n;
      protected override async nextId(): Promise<bigint> {
        if (this.next === this.end) {
          this.next = this.disk.lastId;
          this.end = this.next + 100n;
          this.disk.lastId = this.end;
        }
        this.next += 1n;
        return this.next;
      }
    },
  ),
];
