import { isStorageUnavailable } from "../../domain/errors.js";
import type { StorageLog } from "../../storages/storage-adapter.js";
import { Circuit } from "./circuit.js";
import type { Circuits } from "./guarded.js";
import { OutageLog } from "./outage-log.js";

/**
 * The circuits of one storage, which watch it from now on. They are probed together: once the log says that the storage
 * is away, no request waits for it any more.
 *
 * @param ping rejects if the storage cannot be used
 * @param get any read
 */
export function watch(ping: () => Promise<unknown>, get: () => Promise<unknown>, log: StorageLog): Circuits {
  const outages = new OutageLog(log);
  const look = () =>
    get().catch((error) => {
      // Any other error is a mistake in the storage; each request that meets it is answered and logged by itself.
      if (isStorageUnavailable(error)) throw error;
    });
  const read = new Circuit(look, outages, false);
  const ask = async () => {
    const [pinged] = await Promise.allSettled([ping(), read.probe()]);
    if (pinged.status === "rejected") throw pinged.reason;
  };
  return { read, write: new Circuit(ask, outages, true) };
}
