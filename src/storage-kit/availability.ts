import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Storage } from "../application/storage-adapter.js";
import { isStorageUnavailable } from "../domain/errors.js";
import { CallFailed } from "./messages.js";
import { operationsOf } from "./operations.js";

/** How long a storage may take to recover once it is back, in milliseconds. */
export const RECOVERY_LIMIT = 10_000;

/** These may succeed without the server. */
const LOCAL = ["countPets", "raiseIds"];

/** Whether a call resolves; false if it rejects with `storage_unavailable`. @throws CallFailed for any other failure */
export async function works(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallFailed && error.kind === "rejected" && isStorageUnavailable(error.cause))
      return false;
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

/** Every operation of the storage, and `ping`. */
function operations(storage: Storage) {
  return [...operationsOf(storage), { name: "ping", callSample: () => storage.ping() }];
}

export async function expectUnavailable(storage: Storage): Promise<void> {
  for (const n of [1n, 2n]) {
    const calls = operations(storage).map(async ({ name, callSample }) => {
      const succeeded = (await works(callSample(n))) && !LOCAL.includes(name);
      assert(!succeeded, `${name} resolved while the storage was down, expected storage_unavailable`);
    });
    await Promise.all(calls);
  }
}

export async function expectRecovered(storage: Storage): Promise<void> {
  const calls = operations(storage).map(({ name, callSample }) =>
    until(() => works(callSample(3n)), RECOVERY_LIMIT, name),
  );
  await Promise.all(calls);
}
