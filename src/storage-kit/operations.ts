import type { Storage } from "../application/storage-adapter.js";
import { recordOf, somePet } from "./samples.js";

/** The members of a storage that have operations, e.g. `pets`. */
export type PortName = Exclude<keyof Storage, "ping" | "close" | "unarchived" | "identity">;

/** For each operation, valid arguments; those for different numbers do not conflict. */
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

/** A port as its operations by name. */
type Operations = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export interface Operation {
  readonly port: string;
  readonly name: string;
  call(...args: readonly unknown[]): Promise<unknown>;
  /** Calls it with valid arguments; calls with different numbers do not conflict. */
  callSample(n: bigint): Promise<unknown>;
}

/** Every operation of the ports that the storage has. */
export function operationsOf(storage: Storage): Operation[] {
  return Object.entries(SAMPLES).flatMap(([port, samples]) => {
    const operations = storage[port as PortName] as Operations | undefined;
    if (!operations) return [];
    return Object.entries(samples as Readonly<Record<string, (n: bigint) => readonly unknown[]>>).map(
      ([name, sample]) => {
        const call = async (...args: readonly unknown[]) => operations[name]?.(...args);
        return { port, name, call, callSample: (n) => call(...sample(n)) };
      },
    );
  });
}
