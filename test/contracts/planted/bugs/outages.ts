import type { PetRange } from "../../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import type { Pet } from "../../../../src/domain/pet.js";
import type { Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug } from "./bug.js";

/** Bugs: a storage behaves wrongly in an outage. */
export const OUTAGES: readonly Bug[] = [
  bug(
    "resolves ping whatever happens",
    "outage: rejects in time",
    class extends SimplePets {
      override async ping(): Promise<void> {}
    },
  ),
  bug(
    "rejects with an error of its driver",
    "outage: rejects in time",
    class extends SimplePets {
      override async get(id: bigint): Promise<Pet | undefined> {
        if (this.disk.away) throw new Error("ECONNREFUSED");
        return super.get(id);
      }
    },
  ),
  bug(
    "waits for ever",
    "outage: rejects in time",
    class extends SimplePets {
      override async list(range: PetRange): Promise<Pet[]> {
        while (this.disk.away) await new Promise((resolve) => setTimeout(resolve, 50));
        return super.list(range);
      }
    },
  ),
  bug(
    "answers creates before they are safe",
    "outage: loses nothing it answered",
    class extends SimplePets {
      protected override insert(row: Row): void {
        super.insert(row);
        setTimeout(() => {
          if (this.disk.away) this.disk.rows = this.disk.rows.filter(({ id }) => id !== row.id);
        }, 200);
      }
    },
  ),
  bug(
    "does not connect again",
    "outage: heals by itself",
    class extends SimplePets {
      private dead = false;
      protected override async read(): Promise<void> {
        this.dead ||= this.disk.away;
        if (this.dead) throw storageUnavailable(new Error("The connection is closed."));
        return super.read();
      }
    },
  ),
];
