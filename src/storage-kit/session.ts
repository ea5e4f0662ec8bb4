import assert, { AssertionError } from "node:assert/strict";
import { SILENT_CONTEXT, type Storage, type StorageReading } from "../application/storage-adapter.js";
import { CallRejected, describeError, show } from "./messages.js";
import type { StorageUnderTest } from "./storage-under-test.js";

/** How long a storage may take to open or to close, even while its server is down (ms). */
export const OPEN_LIMIT = 10_000;

/** The storage is not to blame: `outage.down` failed, for example, or the case was interrupted. No rule is broken. */
export class HelperFailed extends Error {}

/** The instances that a case opens, with a time limit for each call. */
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

  /** Creates a storage. @throws HelperFailed if it has pets already: the cases would spoil it */
  async create(): Promise<Storage> {
    this.url = await this.help("newUrl()", () => this.tested.newUrl());
    // First without writing. If this fails, the cases find out.
    const found = this.isKept ? await this.open(false).catch(() => undefined) : undefined;
    if (found) await this.expectEmpty(found);
    await found?.close().catch(() => undefined);
    const storage = await this.open();
    if (this.isKept) await this.expectEmpty(storage);
    this.tested.onCreate?.(this.url, storage);
    return storage;
  }

  /** Opens another instance of the newest storage. Its calls reject with CallRejected; closing it twice is a no-op. */
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
    assert(storage?.pets, `open() resolved to ${show(storage)}, which has no pets`);
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

  private async expectEmpty({ pets }: Storage): Promise<void> {
    const found = await pets.list({ status: undefined, after: 0n, limit: 1 }).catch(() => []);
    if (found.length > 0)
      throw new HelperFailed(`The storage ${this.url} is not empty, and was left untouched.`);
  }

  /** A port whose functions are those of the given one, called by `call`. */
  private watch<Port extends object>(port: Port): Port {
    // Not a proxy of the port itself, which may be frozen: that would have to return the port's own functions.
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
    // At once, since its arguments may change. A throw counts as a rejection.
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
