import type { PetArchive } from "../application/ports/pet-archive.js";
import type { PetRepository } from "../application/ports/pet-repository.js";
import type { Storage } from "../application/storage-adapter.js";
import { recordOf, somePet } from "./samples.js";

/** Calls an operation with sample arguments; those for different numbers do not conflict. */
type Call = (n: bigint) => Promise<unknown>;

/** Every operation of a storage, `ping` too. An operation that is missing here does not compile. */
export function operationsOf(storage: Storage): readonly (readonly [name: string, call: Call])[] {
  const { pets, archive } = storage;
  const ofPets: Record<keyof PetRepository, Call> = {
    create: (n) => pets.create(somePet(), n % 2n ? recordOf(`call ${n}`) : undefined),
    get: (n) => pets.get(n),
    list: (n) => pets.list({ status: undefined, after: 0n, limit: Number(n) }),
  };
  const ofArchive: Record<keyof PetArchive, Call> | undefined = archive && {
    readPets: (n) => archive.readPets({ after: 0n, limit: Number(n) }),
    storePets: (n) => archive.storePets([{ pet: { ...somePet(), id: 1_000_000n + n }, record: undefined }]),
    countPets: () => archive.countPets(),
    highestId: () => archive.highestId(),
    raiseIds: (n) => archive.raiseIds(2_000_000n + n),
  };
  return Object.entries({ ...ofPets, ...ofArchive, ping: () => storage.ping() });
}
