import { PetstoreError } from "../domain/errors.js";
import { newPet, type Pet, type PetDraft } from "../domain/pet.js";
import type { IdempotencyRecord, PetRepository } from "./ports/pet-repository.js";

interface CreatedPet {
  readonly pet: Pet;
  /** Whether an earlier request with the same idempotency key created it. */
  readonly replayed: boolean;
}

/** Adds a pet to the catalogue; with an idempotency record, at most once. */
export class CreatePet {
  /** @param readOnly whether the operator has turned creates off */
  constructor(
    private readonly repository: PetRepository,
    private readonly readOnly = false,
  ) {}

  /**
   * @param record if the client has sent a key; an adapter makes its fingerprint of all that the client sent
   * @throws PetstoreError `invalid_field`, `idempotency_key_reused`, `storage_unavailable`
   */
  async execute(draft: PetDraft, record?: IdempotencyRecord): Promise<CreatedPet> {
    const wanted = newPet(draft);
    if (this.readOnly) {
      throw new PetstoreError(
        "storage_unavailable",
        "The service is read-only for now, since its operator has turned creates off; try again later.",
      );
    }
    const { pet, earlierFingerprint } = await this.repository.create(wanted, record);
    if (earlierFingerprint !== undefined && earlierFingerprint !== record?.fingerprint) {
      throw new PetstoreError(
        "idempotency_key_reused",
        "This Idempotency-Key was used with another body; use a new key for a new request.",
      );
    }
    return { pet, replayed: earlierFingerprint !== undefined };
  }
}
