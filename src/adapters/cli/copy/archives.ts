import { isPetConflict, type PetArchive } from "../../../application/ports/pet-archive.js";
import type { Storage, StorageAdapter } from "../../../application/ports/storage.js";
import { isStorageUnavailable } from "../../../domain/errors.js";
import { hideInError, hideSecrets } from "../../../storages/mask-url.js";
import { aroundPorts } from "../../guard/around.js";
import { deadline, withinDeadline } from "../../guard/deadline.js";
import { PATIENCE, Patience } from "../../guard/patience.js";
import { Failure } from "../failure.js";
import type { Program } from "../program.js";
import type { ProgressDisplay } from "../progress.js";
import { GO_ON } from "./messages.js";

/** One side of a copy. */
interface Side {
  readonly name: "FROM" | "TO";
  readonly url: string;
  readonly adapter: StorageAdapter;
  /** Whether the storage may be made if it is not there. */
  readonly mayMake: boolean;
}

function sameStorage(): Failure {
  return new Failure("FROM and TO are the same storage; name another one as TO.", 2);
}

/** Finds a side of a copy, and does not open it. @throws Failure with exit code 2 if it cannot take part, whatever it holds */
async function find(name: Side["name"], url: string, program: Program, mayMake: boolean): Promise<Side> {
  const adapter = await program.findStorage(url).catch(({ message }: Error) => {
    throw new Failure(`${name}: ${message}`, 2);
  });
  if (!adapter.durable) {
    const reason = "keeps pets in its own process alone, so that no copy can reach them";
    throw new Failure(`${name}: ${adapter.form} ${reason}; name another storage.`, 2);
  }
  return { name, url, adapter, mayMake };
}

interface Surroundings {
  /** Whether the copy will write to the target. */
  readonly writes: boolean;
  readonly program: Program;
  readonly display: ProgressDisplay;
  /** Ends the copy. */
  readonly signal: AbortSignal;
}

/** Opens both sides, does the work on them, and closes them. Each waits while its storage is away. */
export async function withArchives<Result>(
  urls: { readonly from: string; readonly to: string },
  surroundings: Surroundings,
  work: (archives: { readonly source: PetArchive; readonly target: PetArchive }) => Promise<Result>,
): Promise<Result> {
  const { program, writes } = surroundings;
  const from = await find("FROM", urls.from, program, false);
  const to = await find("TO", urls.to, program, writes);
  if (from.url === to.url) throw sameStorage();
  return withStorage(from, surroundings, async (one, source) => {
    if ((await source.highestId()) === 0n && (await source.readPets({ after: 0n, limit: 1 })).length === 0) {
      throw new Failure("FROM has no pet, and never gave an id; correct the URL.", 2);
    }
    return withStorage(to, surroundings, async (other, target) => {
      const isSame =
        from.adapter === to.adapter && one.identity !== undefined && one.identity === other.identity;
      if (isSame) throw sameStorage();
      return work({ source, target });
    });
  });
}

/** Opens a side, does the work on it, and closes it. Shows warnings of the storage above the progress. */
async function withStorage<Result>(
  { name, url, adapter, mayMake }: Side,
  { program, display, signal }: Surroundings,
  work: (storage: Storage, archive: PetArchive) => Promise<Result>,
): Promise<Result> {
  const hide = hideSecrets(adapter, url);
  function show(fields: object | string, message?: string): void {
    display.clear();
    console.error(hide(`${name}: ${typeof fields === "string" ? fields : message}`));
  }
  function unusable({ message }: Error): never {
    throw new Failure(`${name}: ${message}`, 2);
  }
  const log = { debug() {}, info() {}, warn: show, error: show };
  const storage = await program.openStorage(url, { log, addReading() {}, mayMake }).catch(unusable);
  const patience = new Patience(signal, (cause) => {
    const reason = cause instanceof Error ? ` (${cause.message})` : "";
    show(`the storage is away${reason}; the copy goes on once it is back, and waits ${PATIENCE / 1000} s`);
  });
  const ask = <Result>(call: () => Promise<Result>) =>
    patience.ask(call).catch((error: Error) => Promise.reject(ofSide(name, error)));
  try {
    const { archive } = aroundPorts(storage, ask, deadline);
    if (!archive) {
      const reason = "can neither give nor take stored pets (it has no archive)";
      throw new Failure(`${name}: a storage of the form ${adapter.form} ${reason}.`, 2);
    }
    // Only one that has answered tells its identity, and whether it is there.
    await patience
      .ask(() => withinDeadline(storage.ping()))
      .catch((error: Error) => {
        if (isStorageUnavailable(error) || error instanceof Failure) throw ofSide(name, error);
        unusable(error);
      });
    const left = await ask(async () => withinDeadline(Promise.resolve(storage.unarchived?.())));
    if (left)
      throw new Failure(`${name} holds ${left}, which a copy cannot move; move them by other means.`, 2);
    return await work(storage, archive);
  } catch (error) {
    hideInError(error, hide);
    throw error;
  } finally {
    await storage.close().catch(({ message }: Error) => show(`does not close: ${message}`));
  }
}

/** An error of a side in words that say whose it is; a mistake in the code, and what the copy explains, as they are. */
function ofSide(name: Side["name"], error: Error): Error {
  if (isStorageUnavailable(error)) return new Error(`${name} is away. ${GO_ON}`, { cause: error.cause });
  const isMistake = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  if (isMistake || isPetConflict(error) || error instanceof Failure) return error;
  return new Error(`${name}: ${error.message}`, { cause: error.cause });
}
