import assert from "node:assert/strict";
import { SILENT_CONTEXT, type Storage, type StorageReading } from "../application/storage-adapter.js";
import { CallFailed, describeError, show } from "./messages.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** How long a storage may take to open or to close, even while its server is down, in milliseconds. */
export const OPEN_LIMIT = 10_000;

/** What a case needs besides the storage failed, e.g. `outage.down`: no rule is broken. */
export class HelperFailed extends Error {}

/** The instances that a case opens, with a time limit for each call. Remembers the last call for failed assertions. */
export class Session {
  /** The URL of the newest storage. */
  url = "";
  lastCall = "open()";
  /** Those of the newest instance. */
  readings: StorageReading[] = [];
  /** Why the case must end before its check does. */
  endedBy: Error | undefined;
  private readonly opened = new Set<Storage>();
  /** Makes every call but `close` reject with this reason, now and later. */
  end: (reason: Error) => void = () => undefined;
  private readonly ended = new Promise<never>((_resolve, reject) => {
    this.end = (reason) => {
      this.endedBy ??= reason;
      reject(reason);
      this.ended.catch(() => undefined);
    };
  });

  /** @param limit how long an operation may take, in milliseconds */
  constructor(
    readonly tested: StorageUnderTest,
    private readonly limit: number,
  ) {}

  /** Whether pets outlive the instance. */
  get isKept(): boolean {
    return this.tested.adapter.durable || this.tested.adapter.shared;
  }

  /** Creates a storage. @throws HelperFailed if it has pets already: the cases would spoil it */
  async create(): Promise<Storage> {
    this.url = await this.newUrl();
    // First without writing. If this fails, the cases find out.
    const found = this.isKept ? await this.open(false).catch(() => undefined) : undefined;
    if (found) await this.expectEmpty(found);
    await found?.close().catch(() => undefined);
    const storage = await this.open();
    if (this.isKept) await this.expectEmpty(storage);
    this.tested.onCreate?.(this.url, storage);
    return storage;
  }

  /** Opens another instance of the newest storage. Its calls reject with CallFailed; closing it twice is a no-op. */
  async open(mayMake = true, url = this.url): Promise<Storage> {
    const { adapter, context = SILENT_CONTEXT } = this.tested;
    const readings: StorageReading[] = [];
    this.readings = readings;
    const addReading = (reading: StorageReading) => {
      readings.push(reading);
      context.addReading(reading);
    };
    const open = () => adapter.open(url, { ...context, addReading, mayMake });
    const storage = await this.call("open", mayMake ? [] : [{ mayMake }], open, OPEN_LIMIT);
    assert(storage?.pets, `open() resolved to ${show(storage)}, which has no pets`);
    return this.watch(storage);
  }

  /** A second instance of the storage if it is shared; otherwise the same. */
  async another(storage: Storage): Promise<Storage> {
    return this.tested.adapter.shared ? this.open() : storage;
  }

  /** Closes the storage, and opens a new instance, unless its pets do not outlive it. */
  async restart(storage: Storage): Promise<Storage> {
    if (!this.isKept) return storage;
    await storage.close();
    return this.open();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.opened].map(({ close }) => close()));
  }

  /** Calls a function of the storage under test that is not the storage's. @throws HelperFailed */
  async help<Result>(call: string, run: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (cause) {
      throw new HelperFailed(`${call} failed: ${describeError(cause)}`, { cause });
    }
  }

  /** The URL of a storage that does not exist yet. @throws HelperFailed */
  newUrl(): Promise<string> {
    return this.help("newUrl()", () => this.tested.newUrl());
  }

  private async expectEmpty({ pets }: Storage): Promise<void> {
    const found = await pets.list({ status: undefined, after: 0n, limit: 1 }).catch(() => []);
    if (found.length > 0)
      throw new HelperFailed(`The storage ${this.url} is not empty, and was left untouched.`);
  }

  private watch(storage: Storage): Storage {
    const { pets, archive } = storage;
    const watched =
      <Args extends readonly unknown[], Result>(name: string, run: (...args: Args) => Promise<Result>) =>
      (...args: Args) =>
        this.call(name, args, () => run(...args));
    let closing: Promise<void> | undefined;
    const instance: Storage = {
      pets: {
        create: watched("create", (...args) => pets.create(...args)),
        get: watched("get", (id) => pets.get(id)),
        list: watched("list", (range) => pets.list(range)),
      },
      ...(archive && {
        archive: {
          readPets: watched("readPets", (range) => archive.readPets(range)),
          storePets: watched("storePets", (pets) => archive.storePets(pets)),
          countPets: watched("countPets", () => archive.countPets()),
          highestId: watched("highestId", () => archive.highestId()),
          raiseIds: watched("raiseIds", (id) => archive.raiseIds(id)),
        },
      }),
      ping: watched("ping", () => storage.ping()),
      close: () => {
        this.opened.delete(instance);
        closing ??= this.call("close", [], () => storage.close(), OPEN_LIMIT);
        return closing;
      },
    };
    this.opened.add(instance);
    return instance;
  }

  private async call<Result>(
    operation: string,
    args: readonly unknown[],
    run: () => Promise<Result>,
    limit = this.limit,
  ): Promise<Result> {
    const text = `${operation}(${args.map(show).join(", ")})`;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const error = new CallFailed("timed out", `${text} did not settle within ${limit / 1000} s`);
      timer = setTimeout(() => reject(error), limit);
    });
    try {
      return await Promise.race(operation === "close" ? [run(), late] : [run(), late, this.ended]);
    } catch (cause) {
      if (cause instanceof CallFailed || cause instanceof HelperFailed) throw cause;
      throw new CallFailed("rejected", `${text} rejected with ${describeError(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      this.lastCall = text;
    }
  }
}
