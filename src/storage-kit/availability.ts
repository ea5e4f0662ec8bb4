import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Storage } from "../application/storage-adapter.js";
import { isStorageUnavailable } from "../domain/errors.js";
import { CallFailed } from "./messages.js";
import { recordOf, somePet } from "./samples.js";

/** How long a storage may take to recover once it is back, in milliseconds. */
export const HEALING = 10_000;

/** Whether a call resolves; false if it rejects with `storage_unavailable`. @throws CallFailed for any other failure */
export async function works(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallFailed && isStorageUnavailable(error.cause)) return false;
    throw error;
  }
}

export async function until(holds: () => Promise<boolean>, limit: number, what: string): Promise<void> {
  const end = performance.now() + limit;
  while (!(await holds())) {
    assert(performance.now() < end, `${what} did not work ${limit / 1000} s after the storage came back`);
    await sleep(100);
  }
}

/** Every operation; each `n` uses its own ids and keys. */
function operations({ pets, archive, ping }: Storage, n: bigint): [string, () => Promise<unknown>][] {
  const stored = { pet: { ...somePet(), id: 1_000_000n + n }, record: undefined };
  return Object.entries({
    ping,
    create: () => pets.create(somePet()),
    "create with a record": () => pets.create(somePet(), recordOf(`call ${n}`)),
    get: () => pets.get(1n),
    list: () => pets.list({ status: undefined, after: 0n, limit: 10 }),
    ...(archive && {
      readPets: () => archive.readPets({ after: 0n, limit: 10 }),
      storePets: () => archive.storePets([stored]),
      countPets: () => archive.countPets(),
      highestId: () => archive.highestId(),
      raiseIds: () => archive.raiseIds(2_000_000n + n),
    }),
  });
}

export async function expectUnavailable(storage: Storage): Promise<void> {
  for (const n of [1n, 2n]) {
    const calls = operations(storage, n).map(async ([name, call]) => {
      // These two may succeed without the server.
      const succeeded = (await works(call())) && name !== "countPets" && name !== "raiseIds";
      assert(!succeeded, `${name} resolved while the storage was away, expected storage_unavailable`);
    });
    await Promise.all(calls);
  }
}

export async function expectHealed(storage: Storage): Promise<void> {
  const calls = operations(storage, 3n);
  await Promise.all(calls.map(([name, call]) => until(() => works(call()), HEALING, name)));
}
