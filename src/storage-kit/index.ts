// For authors of storages: the ports and their types. The package exports this as `petstore/storage`.

export type { LogCall } from "../application/ports/log.js";
export * from "../application/ports/pet-archive.js";
export * from "../application/ports/pet-repository.js";
export * from "../application/storage-adapter.js";
export { isPetstoreError, type PetstoreError, storageUnavailable } from "../domain/errors.js";
export { LAST_ID, type NewPet, newPet, PET_STATUSES, type Pet, type PetStatus } from "../domain/pet.js";
