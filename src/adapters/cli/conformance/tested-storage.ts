import { maskUrl } from "../../../application/ports/mask-url.js";
import { asArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type {
  StorageAdapter,
  StorageContext,
  StorageReading,
} from "../../../application/ports/storage-adapter.js";
import type { StorageUnderTest } from "../../../contracts/storage-contract.js";
import { storageOf, UNHEARD } from "../../../contracts/storage-under-test.js";
import type { Storages } from "../program.js";
import { createInOtherProcess, endsInOtherProcess } from "./other-process.js";
import { runShell, runShellNow } from "./shell.js";

export interface Choices {
  /** With `{n}` for the name of each storage. */
  readonly url: string;
  readonly down?: string;
  readonly up?: string;
  readonly delete?: string;
}

/** A storage cannot be checked, since it is not empty or cannot be opened. The run has changed nothing in it. */
export class Refusal extends Error {}

/** A reading with such a name counts the stored pets that the storage has read. */
const PETS_READ = /_pets_read_total$/;

/** The storages that the cases get: each has a name of its own, and is new and empty. */
export class TestedStorage {
  /** The URLs of the storages that were made, except for those that end with the process. */
  readonly made: string[] = [];
  /** The names of this run's storages begin with this prefix; those of other runs do not. */
  private readonly prefix = `t${Date.now().toString(36)}`;
  private count = 0;
  private readonly unopened = new Set<string>();
  private readonly reads: StorageReading[] = [];
  private isAway = false;
  /** Settles once the last command that takes the storage away, or brings it back, has ended. */
  private changing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly adapter: StorageAdapter,
    private readonly choices: Choices,
    private readonly storages: Storages,
  ) {}

  /** Opens a storage to see what it offers, and stores nothing in it. @throws Refusal */
  async offer(): Promise<StorageUnderTest> {
    const { durable, shared } = this.adapter;
    const { down, up, delete: remove } = this.choices;
    const newUrl = () => this.newUrl();
    const open = (url: string) => this.open(url);
    const pets = await open(newUrl()).catch((error: Error) => {
      if (error instanceof Refusal) throw error;
      throw new Refusal(`No storage can be asked for its rules: ${error.message}`);
    });
    await pets.close();
    return storageOf(
      { durable, shared, open },
      {
        newUrl,
        archive: asArchive(pets) !== undefined,
        useAndClose: () => endsInOtherProcess(this.note(this.newUrl())),
        ...(durable && { createAndDie: createInOtherProcess }),
        ...(this.reads.length > 0 && {
          petsRead: () => this.reads.reduce((sum, { read }) => sum + read(), 0),
        }),
        ...(remove && { deletePet: (url, id) => runShell(remove, url, `${id}`) }),
        ...(down && up && { outage: { down: () => this.takeAway(down), up: () => this.bringBack() } }),
      },
    );
  }

  /** Brings the storage back if it is away. */
  async bringBack(): Promise<void> {
    await this.changing.catch(() => undefined);
    if (!this.isAway) return;
    this.isAway = false;
    await runShell(this.choices.up ?? "");
  }

  /** As `bringBack`, while the process ends. */
  bringBackNow(): void {
    if (this.isAway) runShellNow(this.choices.up ?? "");
  }

  private takeAway(down: string): Promise<void> {
    this.isAway = true;
    const changing = runShell(down);
    this.changing = changing;
    return changing;
  }

  private newUrl(): string {
    this.count += 1;
    const url = this.choices.url.replaceAll("{n}", `${this.prefix}_${this.count}`);
    this.unopened.add(url);
    return url;
  }

  private async open(url: string): Promise<PetRepository> {
    const context: StorageContext = {
      ...UNHEARD,
      addReading: (reading) => void (PETS_READ.test(reading.name) && this.reads.push(reading)),
    };
    const pets = await this.storages.openStorage(url, context);
    if (!this.unopened.delete(url)) return pets;
    if ((await pets.list({ status: undefined, after: 0n, limit: 1 })).length === 0) {
      this.note(url);
      return pets;
    }
    await pets.close();
    throw new Refusal(
      `The storage ${maskUrl(this.adapter, url)} is not empty, and was left untouched; ` +
        "let {n} be the part of the URL that tells storages apart",
    );
  }

  private note(url: string): string {
    if (this.adapter.durable || this.adapter.shared) this.made.push(url);
    return url;
  }
}
