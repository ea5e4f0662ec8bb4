import { maskUrl } from "../../../application/ports/mask-url.js";
import { asArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageReading } from "../../../application/ports/storage-adapter.js";
import type { StorageUnderTest } from "../../../contracts/storage-contract.js";
import { UNHEARD } from "../../../contracts/storage-under-test.js";
import { Failure } from "../failure.js";
import type { Program } from "../program.js";
import { createInOtherProcess, endsInOtherProcess } from "./other-process.js";
import { runShell, runShellNow } from "./shell.js";

/** The operator's commands. */
export interface Commands {
  readonly down?: string;
  readonly up?: string;
  readonly delete?: string;
}

/** A reading with such a name counts the stored pets that the storage has read. */
const PETS_READ = /_pets_read_total$/;

/** The storages that the cases get: each has a name of its own, and is new and empty. */
export class TestedStorage {
  /** The URLs of the storages that were made, except for those that end with the process. */
  readonly made: string[] = [];
  /** The names of this run's storages begin with this prefix; those of other runs do not. */
  private readonly prefix = `t${Date.now().toString(36)}`;
  private count = 0;
  /** The URL of the newest one. */
  private url = "";
  private readonly reads: StorageReading[] = [];
  /** The last command that takes the storage away; undefined once the storage is being brought back. */
  private away: Promise<void> | undefined;

  /** @param pattern the URL, with `{n}` for the name of each storage */
  constructor(
    private readonly pattern: string,
    private readonly adapter: StorageAdapter,
    private readonly commands: Commands,
    private readonly program: Program,
  ) {}

  /** Opens a storage to see what it offers, and stores nothing in it. @throws Failure with exit code 2 */
  async offer(): Promise<StorageUnderTest> {
    const { durable, shared } = this.adapter;
    const { down, delete: remove } = this.commands;
    const pets = await this.openNew().catch((error: Error) => {
      if (error instanceof Failure) throw error;
      throw new Failure(`No storage can be asked for its rules: ${error.message}`, 2);
    });
    await pets.close();
    return {
      open: () => this.openNew(),
      ...((durable || shared) && { reopen: () => this.open() }),
      shared,
      archive: asArchive(pets) !== undefined,
      useAndClose: () => {
        this.takeNewUrl();
        this.noteMade();
        return endsInOtherProcess(this.url);
      },
      ...(durable && { createAndDie: (pets) => createInOtherProcess(this.url, pets) }),
      ...(this.reads.length > 0 && {
        petsRead: () => this.reads.reduce((sum, { read }) => sum + read(), 0),
      }),
      ...(remove && { deletePet: (id) => runShell(remove, this.url, `${id}`) }),
      ...(down && { outage: { down: () => this.takeAway(down), up: () => this.bringBack() } }),
    };
  }

  private takeAway(down: string): Promise<void> {
    this.away = runShell(down);
    return this.away;
  }

  /** Brings the storage back if it is away. */
  async bringBack(): Promise<void> {
    await this.away?.catch(() => undefined);
    if (!this.away) return;
    this.away = undefined;
    await runShell(this.commands.up ?? "");
  }

  /** As `bringBack`, while the process ends. */
  bringBackNow(): void {
    if (this.away) runShellNow(this.commands.up ?? "");
  }

  private async openNew(): Promise<PetRepository> {
    this.takeNewUrl();
    const pets = await this.open();
    if ((await pets.list({ status: undefined, after: 0n, limit: 1 })).length === 0) {
      this.noteMade();
      return pets;
    }
    await pets.close();
    throw new Failure(
      `The storage ${maskUrl(this.adapter, this.url)} is not empty, and was left untouched; ` +
        "let {n} be the part of the URL that tells storages apart",
      2,
    );
  }

  private open(): Promise<PetRepository> {
    return this.program.openStorage(this.url, {
      ...UNHEARD,
      addReading: (reading) => void (PETS_READ.test(reading.name) && this.reads.push(reading)),
    });
  }

  private takeNewUrl(): void {
    this.count += 1;
    this.url = this.pattern.replaceAll("{n}", `${this.prefix}_${this.count}`);
  }

  private noteMade(): void {
    if (this.adapter.durable || this.adapter.shared) this.made.push(this.url);
  }
}
