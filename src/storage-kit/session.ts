import assert from "node:assert/strict";
import type { Storage } from "../application/storage-adapter.js";
import { CallFailed, describeError, show } from "./messages.js";

/** How long a storage may take to open or to close, even while its server is away, in milliseconds. */
const OPEN_LIMIT = 10_000;

/** The instances that a case opens, with a time limit for each call. Remembers the last call for failed assertions. */
export class Session {
  lastCall = "open()";
  private readonly opened: Storage[] = [];

  /** @param limit how long an operation may take, in milliseconds */
  constructor(private readonly limit: number) {}

  /** Opens an instance whose calls reject with CallFailed. Closing it twice is a no-op. */
  async open(open: () => Promise<Storage>): Promise<Storage> {
    const storage = await this.call("open", [], open, OPEN_LIMIT);
    assert(storage?.pets, `open() resolved to ${show(storage)}, which has no pets`);
    const { pets, archive } = storage;
    let closing: Promise<void> | undefined;
    const watched: Storage = {
      pets: {
        create: (pet, record) => this.call("create", [pet, record], () => pets.create(pet, record)),
        get: (id) => this.call("get", [id], () => pets.get(id)),
        list: (range) => this.call("list", [range], () => pets.list(range)),
      },
      ...(archive && {
        archive: {
          readPets: (range) => this.call("readPets", [range], () => archive.readPets(range)),
          storePets: (pets) => this.call("storePets", [pets], () => archive.storePets(pets)),
          countPets: () => this.call("countPets", [], () => archive.countPets()),
          highestId: () => this.call("highestId", [], () => archive.highestId()),
          raiseIds: (id) => this.call("raiseIds", [id], () => archive.raiseIds(id)),
        },
      }),
      ping: () => this.call("ping", [], () => storage.ping()),
      close: () => (closing ??= this.call("close", [], () => storage.close(), OPEN_LIMIT)),
    };
    this.opened.push(watched);
    return watched;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.opened.map(({ close }) => close()));
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
      const error = new CallFailed(`${text} did not settle within ${limit / 1000} s`);
      timer = setTimeout(() => reject(error), limit);
    });
    try {
      return await Promise.race([run(), late]);
    } catch (cause) {
      if (cause instanceof CallFailed) throw cause;
      throw new CallFailed(`${text} rejected with ${describeError(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      this.lastCall = text;
    }
  }
}
