/**
 * The types and functions for authors of storages. The package exports this module as `petstore/storage`, and
 * `contracts/storage-contract.ts` as `petstore/storage/contract`.
 */

export {
  type ArchivedPet,
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
  SILENT_CONTEXT,
  STORAGE_API,
  type Storage,
  type StorageAdapter,
  type StorageContext,
  type StorageLog,
  type StorageReading,
} from "../application/ports/storage.js";
export { isPetstoreError, type PetstoreError, storageUnavailable } from "../domain/errors.js";
export { LAST_ID, type NewPet, PET_STATUSES, type Pet, type PetStatus } from "../domain/pet.js";
export { maskPassword } from "../storages/mask-url.js";
