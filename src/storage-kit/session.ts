import assert from "node:assert/strict";
import { SILENT_CONTEXT, type Storage, type StorageReading } from "../application/storage-adapter.js";
import { CallFailed, describeError, show } from "./messages.js";
import { type Call, operationsOf, type PortName } from "./operations.js";
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
  private readonly opened: Storage[] = [];
  private readonly ended: Promise<never>;
  private reject: (reason: Error) => void = () => undefined;
  private missingUrl: string | undefined;

  /** @param limit how long an operation may take, in milliseconds */
  constructor(
    readonly tested: StorageUnderTest,
    private readonly limit: number,
  ) {
    this.ended = new Promise((_resolve, reject) => {
      this.reject = reject;
    });
    this.ended.catch(() => undefined);
  }

  /** Makes every call reject with this reason, now and later. */
  end(reason: Error): void {
    this.endedBy ??= reason;
    this.reject(reason);
  }

  /** Creates a storage. @throws HelperFailed if it has pets already: the cases would spoil it */
  async create(): Promise<Storage> {
    const { tested } = this;
    this.url = await this.help("newUrl()", () => tested.newUrl());
    const storage = await this.open();
    const isKept = tested.adapter.durable || tested.adapter.shared;
    // If this fails, the cases find out.
    const [pet] = await storage.pets.list({ status: undefined, after: 0n, limit: 1 }).catch(() => []);
    if (pet && isKept)
      throw new HelperFailed(`The storage ${this.url} is not empty, and was left untouched.`);
    tested.onCreate?.(this.url, storage);
    return storage;
  }

  /** Opens another instance of the newest storage. Its calls reject with CallFailed; closing it twice is a no-op. */
  open(mayMake = true, url = this.url): Promise<Storage> {
    const { adapter, context = SILENT_CONTEXT } = this.tested;
    const readings: StorageReading[] = [];
    this.readings = readings;
    const addReading = (reading: StorageReading) => {
      readings.push(reading);
      context.addReading(reading);
    };
    return this.watch(mayMake, () => adapter.open(url, { ...context, addReading, mayMake }));
  }

  /** Opens a storage that does not exist, with `mayMake: false`; for each call the same one. */
  async openMissing(): Promise<Storage> {
    const { tested } = this;
    if (tested.openMissing) return this.watch(false, tested.openMissing);
    this.missingUrl ??= await this.help("newUrl()", () => tested.newUrl());
    const storage = await this.open(false, this.missingUrl);
    tested.onCreate?.(this.missingUrl, storage);
    return storage;
  }

  /** A second instance of the storage if it is shared; otherwise the same. */
  async another(storage: Storage): Promise<Storage> {
    return this.tested.adapter.shared ? this.open() : storage;
  }

  /** Closes the storage, and opens a new instance, unless its pets do not outlive it. */
  async restart(storage: Storage): Promise<Storage> {
    const { durable, shared } = this.tested.adapter;
    if (!durable && !shared) return storage;
    await storage.close();
    return this.open();
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.opened.map(({ close }) => close()));
  }

  /** Calls a function of the storage under test that is not the storage's. @throws HelperFailed */
  async help<Result>(call: string, run: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (cause) {
      if (cause instanceof HelperFailed) throw cause;
      throw new HelperFailed(`${call} failed: ${describeError(cause)}`, { cause });
    }
  }

  private async watch(mayMake: boolean, open: () => Promise<Storage>): Promise<Storage> {
    const storage = await this.call("open", mayMake ? [] : [{ mayMake }], open, OPEN_LIMIT);
    assert(storage?.pets, `open() resolved to ${show(storage)}, which has no pets`);
    const ports: Record<string, Record<string, Call>> = {};
    for (const { port, name, call } of operationsOf(storage)) {
      ports[port] = { ...ports[port], [name]: (...args) => this.call(name, args, () => call(...args)) };
    }
    let closing: Promise<void> | undefined;
    const watched: Storage = {
      ...(ports as object as Pick<Storage, PortName>),
      ping: () => this.call("ping", [], () => storage.ping()),
      close: () => (closing ??= this.call("close", [], () => storage.close(), OPEN_LIMIT)),
    };
    this.opened.push(watched);
    return watched;
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
