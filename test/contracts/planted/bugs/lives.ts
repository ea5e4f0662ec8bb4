import type { PetRange } from "../../../../src/application/ports/pet-repository.js";
import type { Pet } from "../../../../src/domain/pet.js";
import type { Disk, Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug } from "./bug.js";

/** Bugs: a storage fails to open, to close, or to survive a death. */
export const LIVES: readonly Bug[] = [
  bug(
    "closes without waiting",
    "finishes before it closes",
    class extends SimplePets {
      override async close(): Promise<void> {
        this.closed = true;
      }
      protected override insert(row: Row): void {
        if (this.closed) throw new Error("closed");
        super.insert(row);
      }
    },
  ),
  bug(
    "drops waiting creates as it closes",
    "finishes before it closes",
    class extends SimplePets {
      override async close(): Promise<void> {
        this.closed = true;
      }
      protected override insert(row: Row): void {
        if (!this.closed) super.insert(row);
      }
    },
  ),
  bug(
    "closes the database for all",
    "lets one close alone",
    class extends SimplePets {
      override async close(): Promise<void> {
        await super.close();
        this.disk.away = true;
      }
    },
  ),
  bug(
    "never closes",
    "resolves ping",
    class extends SimplePets {
      override async close(): Promise<void> {
        throw new Error("cannot be closed");
      }
    },
  ),
  bug(
    "writes only as it closes",
    "keeps everything over a death",
    class extends SimplePets {
      private readonly buffer: Row[] = [];
      protected override insert(row: Row): void {
        this.buffer.push(row);
      }
      override async close(): Promise<void> {
        this.disk.rows.push(...this.buffer.splice(0));
      }
    },
  ),
  bug(
    "lists the pets that it read first, whatever others store",
    "shows each what the other stored",
    class extends SimplePets {
      private known: Row[] | undefined;
      override async list(range: PetRange): Promise<Pet[]> {
        const pets = await super.list(range);
        this.known ??= [...this.disk.rows];
        return pets.filter(({ id }) => this.known?.some((row) => row.id === id));
      }
    },
  ),
  bug(
    "rejects ping if it is empty",
    "resolves ping",
    class extends SimplePets {
      override async ping(): Promise<void> {
        if (this.disk.rows.length === 0) throw new Error("no rows");
      }
    },
  ),
  bug(
    "tidies up as it opens",
    "keeps everything over a restart",
    class extends SimplePets {
      constructor(disk: Disk) {
        super(disk);
        disk.rows = disk.rows.filter(({ status }) => status !== "pending");
      }
    },
  ),
];
