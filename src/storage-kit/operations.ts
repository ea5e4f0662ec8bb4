import type { Storage } from "../application/storage-adapter.js";
import { recordOf, somePet } from "./samples.js";

/** The members of a storage that have operations, e.g. `pets`. */
export type PortName = Exclude<keyof Storage, "ping" | "close" | "unarchived" | "identity">;

/** For each operation valid arguments; those for different numbers do not conflict. */
type Samples<Port> = {
  readonly [Name in keyof Port]-?: Port[Name] extends (...args: infer Args) => unknown
    ? (n: bigint) => Args
    : never;
};

/** Every operation of a storage. A port or an operation that is missing here does not compile. */
const SAMPLES: { readonly [Name in PortName]-?: Samples<NonNullable<Storage[Name]>> } = {
  pets: {
    create: (n) => [somePet(), n % 2n ? recordOf(`call ${n}`) : undefined],
    get: (n) => [n],
    list: (n) => [{ status: undefined, after: 0n, limit: Number(n) }],
  },
  archive: {
    readPets: (n) => [{ after: 0n, limit: Number(n) }],
    storePets: (n) => [[{ pet: { ...somePet(), id: 1_000_000n + n }, record: undefined }]],
    countPets: () => [],
    highestId: () => [],
    raiseIds: (n) => [2_000_000n + n],
  },
};

type Named<Value> = Readonly<Record<string, Value>>;
export type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Every operation of the ports that the storage has. `callSample(n)` calls it with the arguments for n. */
export function operationsOf(storage: Storage) {
  const ports: Named<Named<(n: bigint) => readonly unknown[]>> = SAMPLES;
  return Object.entries(ports).flatMap(([port, samples]) => {
    const operations = storage[port as PortName] as Named<Call> | undefined;
    if (!operations) return [];
    return Object.entries(samples).map(([name, sample]) => {
      const call: Call = async (...args) => operations[name]?.(...args);
      return { port, name, call, callSample: (n: bigint) => call(...sample(n)) };
    });
  });
}
