import type { Kind, Ports } from "../adapters/guard/around.js";
import { STORAGE_PORTS } from "../application/ports/storage.js";
import { recordOf, somePet } from "./samples.js";

type CallsOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...values: infer Values) => unknown ? Values[] : never;
};

/**
 * Arguments that any storage takes, for each operation of each port. The compiler asks for those of a new one. An operation
 * that changes or takes away what is there gets an id that no case creates, e.g. 1_500_000n + n: the cases of outages ask
 * these calls beside pets of their own.
 */
function callsOf(n: bigint): { readonly [Name in keyof Ports]-?: CallsOf<NonNullable<Ports[Name]>> } {
  const page = { after: 0n, limit: 10 };
  const stored = { pet: { ...somePet({ name: "stored" }), id: 1_000_000n + n }, record: undefined };
  return {
    pets: {
      create: [[somePet()], [somePet(), recordOf(`call ${n}`)]],
      get: [[1n]],
      list: [[{ status: undefined, ...page }], [{ status: "available", ...page }]],
    },
    archive: {
      readPets: [[page]],
      storePets: [[[stored]]],
      countPets: [[]],
      highestId: [[]],
      raiseIds: [[2_000_000n + n]],
    },
  };
}

/** A call of an operation of a port. */
export interface Call {
  readonly port: string;
  readonly operation: string;
  readonly kind: Kind;
  readonly values: readonly unknown[];
  ask(): Promise<unknown>;
}

/**
 * Calls of every operation of every port that a storage has, so that a case can ask each.
 *
 * @param n makes ids and keys that the calls with another number do not have
 */
export function everyCall(ports: Ports, n = 0): Call[] {
  const all: Readonly<Record<string, Readonly<Record<string, readonly unknown[][]>>>> = callsOf(BigInt(n));
  return Object.entries(STORAGE_PORTS).flatMap(([port, operations]) => {
    const owner = ports[port as keyof Ports];
    if (!owner) return [];
    return Object.entries<Kind>(operations).flatMap(([operation, kind]) =>
      (all[port]?.[operation] ?? [[]]).map((values) => {
        const ask = async () => Reflect.apply(Reflect.get(owner, operation), owner, values);
        return { port, operation, kind, values, ask };
      }),
    );
  });
}
