/**
 * The types and functions for authors of storages. The package exports this module as `petstore/storage`, and
 * `contracts/storage-contract.ts` as `petstore/storage/contract`.
 */

export { maskPassword } from "../application/ports/mask-url.js";
export {
  type ArchivedPet,
  asArchive,
  isPetConflict,
  type PetArchive,
  PetConflict,
} from "../application/ports/pet-archive.js";
export type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../application/ports/pet-repository.js";
export {
  type LogCall,
  STORAGE_API,
  type StorageAdapter,
  type StorageContext,
  type StorageLog,
  type StorageReading,
  type StorageSight,
} from "../application/ports/storage-adapter.js";
export { isPetstoreError, type PetstoreError, storageUnavailable } from "../domain/errors.js";
export { type NewPet, PET_STATUSES, type Pet, type PetStatus } from "../domain/pet.js";
