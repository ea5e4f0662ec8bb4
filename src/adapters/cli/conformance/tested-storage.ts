import { AssertionError } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  SILENT_CONTEXT,
  type Storage,
  type StorageAdapter,
  type StorageContext,
} from "../../../application/ports/storage.js";
import { inTime, OPENING } from "../../../storage-kit/contract-case.js";
import { otherProcess } from "../../../storage-kit/other-process.js";
import { seenIn } from "../../../storage-kit/seen.js";
import {
  type Outage,
  portsOf,
  type StorageUnderTest,
  storageOf,
} from "../../../storage-kit/storage-contract.js";
import { hideSecrets } from "../../../storages/mask-url.js";
import { Failure } from "../failure.js";
import type { Program } from "../program.js";
import { runShell, runShellNow } from "./shell.js";

/** The operator's commands. */
export interface Commands {
  readonly down?: string;
  readonly up?: string;
  readonly pause?: string;
  readonly resume?: string;
  readonly delete?: string;
}

/** The storages that the cases get: each has a name of its own, and is new and empty. */
export class TestedStorage {
  /** The URLs of the storages that were made, except for those that end with the process. */
  readonly made = new Set<string>();
  /** The names of this run's storages begin with this prefix; those of other runs do not. */
  private readonly prefix = `t${Date.now().toString(36)}`;
  private count = 0;
  /** The last command that took the storage away, and how to bring it back; undefined once that has begun. */
  private away: { readonly gone: Promise<void>; readonly back: string } | undefined;

  /** @param pattern the URL, with `{n}` for the name of each storage */
  constructor(
    private readonly pattern: string,
    private readonly adapter: StorageAdapter,
    private readonly commands: Commands,
    private readonly program: Program,
  ) {}

  /** A text without the secrets of the storages' URLs. */
  readonly hide = (text: string): string =>
    [this.pattern, ...this.made].reduce((shown, url) => hideSecrets(this.adapter, url)(shown), text);

  /** Opens a storage to see what it offers, and stores nothing in it. @throws Failure with exit code 2 */
  async offer(): Promise<StorageUnderTest> {
    const { down, up, pause, resume, delete: remove } = this.commands;
    const { durable, shared } = this.adapter;
    const open = (url: string, context: StorageContext) => this.open(url, context);
    const { createAndDie, useAndClose } = otherProcess();
    const opening = open(this.newUrl(), SILENT_CONTEXT);
    const first = await inTime(() => "open()", opening, OPENING).catch((error: Error) => {
      if (error instanceof Failure) throw error;
      throw new Failure(`No storage can be asked for its rules: ${seenIn(error)}`, 2);
    });
    // The cases tell if it does not close.
    await Promise.race([first.close().catch(() => undefined), sleep(1_000)]);
    return storageOf(
      { durable, shared, open },
      {
        newUrl: () => this.newUrl(),
        ...portsOf(first),
        createAndDie,
        useAndClose: (url) => {
          this.noteMade(url);
          return useAndClose(url);
        },
        ...(remove && { deletePet: (url, id) => deletePet(remove, url, id) }),
        ...(down && up && { outage: this.outage(down, up) }),
        ...(pause && resume && { pause: this.outage(pause, resume) }),
      },
    );
  }

  private outage(down: string, back: string): Outage {
    return {
      down: () => {
        const gone = runShell(down);
        this.away = { gone, back };
        return gone;
      },
      up: () => this.bringBack(),
    };
  }

  /** Brings the storage back if it is away. */
  async bringBack(): Promise<void> {
    await this.away?.gone.catch(() => undefined);
    if (!this.away) return;
    const { back } = this.away;
    this.away = undefined;
    await runShell(back);
  }

  /** As `bringBack`, while the process ends. */
  bringBackNow(): void {
    if (this.away) runShellNow(this.away.back);
  }

  /** @throws Failure with exit code 2 if the storage is new to this run, and not empty */
  private async open(url: string, context: StorageContext): Promise<Storage> {
    const storage = await this.program.openStorage(url, context);
    if (this.made.has(url)) return storage;
    if ((await storage.pets.list({ status: undefined, after: 0n, limit: 1 })).length === 0) {
      this.noteMade(url);
      return storage;
    }
    await storage.close();
    throw new Failure(
      `The storage ${url} is not empty, and was left untouched; ` +
        "let {n} be the part of the URL that tells storages apart",
      2,
    );
  }

  private noteMade(url: string): void {
    if (this.adapter.durable || this.adapter.shared) this.made.add(url);
  }

  private newUrl(): string {
    this.count += 1;
    return this.pattern.replaceAll("{n}", `${this.prefix}_${this.count}`);
  }
}

/** Runs the operator's command. If it fails, it costs the case that needs it, and no other. */
async function deletePet(command: string, url: string, id: bigint): Promise<void> {
  await runShell(command, url, `${id}`).catch(({ message }: Failure) => {
    throw new AssertionError({ message });
  });
}
