import assert, { AssertionError } from "node:assert/strict";
import { SILENT_CONTEXT, type Storage, type StorageReading } from "../application/storage-adapter.js";
import { CallRejected, describeError, show } from "./messages.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** How long a storage may take to open or to close, even while its server is down (ms). */
export const OPEN_LIMIT = 10_000;

/** No rule is broken: `outage.down` failed, for example, or the case was interrupted. */
export class HelperFailed extends Error {}

/** Opens the instances of a case, and limits the time of each call. */
export class Session {
  /** The URL of the newest storage. */
  url = "";
  /** The call that settled last, for failed assertions about its result. */
  lastCall = "open()";
  /** The readings of the newest instance. */
  readings: StorageReading[] = [];
  private readonly opened = new Set<Storage>();
  private readonly interrupted: Promise<never>;

  /** @param limit how long an operation may take (ms) */
  constructor(
    readonly tested: StorageUnderTest,
    private readonly limit: number,
  ) {
    const { interrupted = new Promise(() => undefined) } = tested;
    this.interrupted = interrupted.then(() => Promise.reject(new HelperFailed("The case was interrupted.")));
    this.interrupted.catch(() => undefined);
  }

  /** Whether pets outlive the instance. */
  get isKept(): boolean {
    return this.tested.adapter.durable || this.tested.adapter.shared;
  }

  /** Creates a storage. @throws HelperFailed if it contains pets, which the cases would spoil */
  async create(): Promise<Storage> {
    this.url = await this.help("newUrl()", () => this.tested.newUrl());
    // Opens it without writing first; the cases report a failure of that.
    const found = this.isKept ? await this.open(false).catch(() => undefined) : undefined;
    if (found) await this.expectEmpty(found);
    await found?.close().catch(() => undefined);
    const storage = await this.open();
    if (this.isKept) await this.expectEmpty(storage);
    this.tested.onCreate?.(this.url, storage);
    return storage;
  }

  /** Opens another instance of the newest storage. Its calls reject with CallRejected; close may repeat. */
  async open(mayMake = true, url = this.url): Promise<Storage> {
    const { adapter, context = SILENT_CONTEXT } = this.tested;
    this.readings = [];
    const { readings } = this;
    const addReading = (reading: StorageReading) => {
      readings.push(reading);
      context.addReading(reading);
    };
    const open = () => adapter.open(url, { ...context, addReading, mayMake });
    const storage = await this.call("open", mayMake ? [] : [{ mayMake }], open, OPEN_LIMIT);
    assert(storage?.pets, `open() resolved to ${show(storage)}, without pets`);
    let closing: Promise<void> | undefined;
    const instance: Storage = {
      pets: this.watch(storage.pets),
      ...(storage.archive && { archive: this.watch(storage.archive) }),
      ping: () => this.call("ping", [], () => storage.ping()),
      close: () => {
        this.opened.delete(instance);
        closing ??= this.call("close", [], () => storage.close(), OPEN_LIMIT);
        return closing;
      },
    };
    this.opened.add(instance);
    return instance;
  }

  /** Returns a second instance if the storage is shared; otherwise the given one. */
  async another(storage: Storage): Promise<Storage> {
    return this.tested.adapter.shared ? this.open() : storage;
  }

  /** Closes an instance and opens a new one, unless the pets would be lost. */
  async restart(storage: Storage): Promise<Storage> {
    if (!this.isKept) return storage;
    await storage.close();
    return this.open();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.opened].map(({ close }) => close()));
  }

  /** Runs a helper that the caller passed. @throws HelperFailed */
  async help<Result>(call: string, run: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (cause) {
      throw new HelperFailed(`${call} failed: ${describeError(cause)}`, { cause });
    }
  }

  private async expectEmpty({ pets }: Storage): Promise<void> {
    const found = await pets.list({ status: undefined, after: 0n, limit: 1 }).catch(() => []);
    if (found.length > 0)
      throw new HelperFailed(`The storage ${this.url} is not empty, and was left untouched.`);
  }

  /** Wraps a port so that `call` runs its functions. */
  private watch<Port extends object>(port: Port): Port {
    // The target is not the port itself: a proxy of a frozen object must return its own functions.
    return new Proxy<Port>(Object.create(port), {
      get: (_target, name) => {
        const run: unknown = Reflect.get(port, name);
        if (typeof run !== "function") return run;
        return (...args: unknown[]) => this.call(String(name), args, () => run.apply(port, args));
      },
    });
  }

  private async call<Result>(
    operation: string,
    args: readonly unknown[],
    run: () => Promise<Result>,
    limit = this.limit,
  ): Promise<Result> {
    const text = `${operation}(${args.map(show).join(", ")})`;
    // Runs at once, since the arguments may change later. A throw counts as a rejection.
    const settled = (async () => run())().catch((cause) => {
      throw new CallRejected(text, cause);
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const error = new AssertionError({ message: `${text} did not settle within ${limit / 1000} s` });
      timer = setTimeout(() => reject(error), limit);
    });
    try {
      // An interrupted case still closes its storages.
      return await Promise.race([settled, late, ...(operation === "close" ? [] : [this.interrupted])]);
    } finally {
      clearTimeout(timer);
      this.lastCall = text;
    }
  }
}
