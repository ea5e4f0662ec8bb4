import { PetstoreError } from "../domain/errors.js";
import { newPet, type PetDraft } from "../domain/pet.js";
import type { IdempotencyRecord, PetRepository } from "./ports/pet-repository.js";

/** Adds a pet to the catalogue; with an idempotency record, at most once. */
export class CreatePet {
  constructor(private readonly repository: PetRepository) {}

  /**
   * `replayed` says that an earlier create with the same idempotency key stored the pet.
   *
   * @param record only for a request with an idempotency key; its fingerprint identifies the content
   * @throws PetstoreError `invalid_field`, `idempotency_key_reused`, `storage_unavailable`
   */
  async execute(draft: PetDraft, record?: IdempotencyRecord) {
    const { pet, earlierFingerprint } = await this.repository.create(newPet(draft), record);
    if (earlierFingerprint !== undefined && earlierFingerprint !== record?.fingerprint) {
      throw new PetstoreError(
        "idempotency_key_reused",
        "This idempotency key was already used with different content; use a new key.",
      );
    }
    return { pet, replayed: earlierFingerprint !== undefined };
  }
}
