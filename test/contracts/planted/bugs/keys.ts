import type { Creation, IdempotencyRecord } from "../../../../src/application/ports/pet-repository.js";
import type { NewPet } from "../../../../src/domain/pet.js";
import { pause, type Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug, type Draft } from "./bug.js";

/** Bugs: a storage misses a repeated create, or takes another create for one. */
export const KEYS: readonly Bug[] = [
  ...Object.entries({
    "ignores case in keys": (key: string) => key.toLowerCase(),
    "ignores spaces around keys": (key: string) => key.trim(),
    "cuts keys at 63 characters": (key: string) => key.slice(0, 63),
    "reads keys as numbers where it can": (key: string) => (/^\d+$/.test(key) ? String(Number(key)) : key),
    "takes keys for paths": (key: string) => key.split(".")[0] as string,
  }).map(([what, change]) =>
    bug(
      what,
      "keeps keys apart",
      class extends SimplePets {
        protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
          return super.toRow(pet, record && { ...record, key: change(record.key) });
        }
      },
    ),
  ),
  bug(
    "cuts fingerprints",
    "keeps keys apart",
    class extends SimplePets {
      protected override replay(earlier: Row, again: Draft): Creation {
        return { ...super.replay(earlier, again), replayed: earlier.fingerprint?.slice(0, 63) };
      }
    },
  ),
  bug(
    "takes a missing key for a key",
    "lets pets without a key be",
    class extends SimplePets {
      protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
        return {
          ...super.toRow(pet, record),
          key: String(record?.key),
          fingerprint: record?.fingerprint ?? "f",
        };
      }
    },
  ),
  bug(
    "answers the body that was sent again",
    "answers a repeated create with the first",
    class extends SimplePets {
      protected override replay(earlier: Row, again: Draft): Creation {
        return { ...super.replay(earlier, again), pet: this.toPet({ ...again, id: earlier.id }) };
      }
    },
  ),
  bug(
    "answers the fingerprint that was sent again",
    "lets one body win if a key races",
    class extends SimplePets {
      protected override replay(earlier: Row, again: Draft): Creation {
        return { ...super.replay(earlier, again), replayed: again.fingerprint };
      }
    },
  ),
  bug(
    "does not say that it replays",
    "stores one pet if a key races",
    class extends SimplePets {
      protected override replay(earlier: Row, again: Draft): Creation {
        return { ...super.replay(earlier, again), replayed: undefined };
      }
    },
  ),
  bug(
    "looks a key up before its transaction",
    "stores one pet if a key races",
    class extends SimplePets {
      override async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
        const earlier = this.findKey(record?.key);
        if (earlier) return this.replay(earlier, this.toRow(pet, record));
        const row = this.toRow(pet, record);
        return this.transaction(async () => {
          const id = await this.nextId();
          this.insert({ ...row, id });
          return { pet: this.toPet({ ...row, id }), replayed: undefined };
        });
      }
    },
  ),
  bug(
    "keeps keys in memory alone",
    ["keeps records over a restart", "recognises a key of the other instance"],
    class extends SimplePets {
      private readonly keys = new Map<string, Row>();
      protected override insert(row: Row): void {
        if (row.key) this.keys.set(row.key, row);
        super.insert(row);
      }
      protected override findKey(key: string | undefined): Row | undefined {
        return key === undefined ? key : this.keys.get(key);
      }
    },
  ),
  bug(
    "lets keys queue in its own process only",
    "stores one pet if a key races among instances",
    class extends SimplePets {
      private turn: Promise<unknown> = Promise.resolve();
      protected override transaction<Result>(work: () => Promise<Result>): Promise<Result> {
        const done = this.turn.then(pause).then(work);
        this.turn = done.catch(() => undefined);
        return done;
      }
      protected override async nextId(): Promise<bigint> {
        const id = await super.nextId();
        await pause();
        return id;
      }
    },
  ),
];
