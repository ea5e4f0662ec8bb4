import type { Creation, IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet } from "../../domain/pet.js";
import type { CreatesResult } from "./writer/messages.js";
import type { Writer } from "./writer/writer.js";

interface WaitingCreate {
  readonly pet: NewPet;
  readonly record: IdempotencyRecord | undefined;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends creates that arrive together in one message, which costs as much as ten creates, however many it has.
 */
export class Creates {
  private gathered: WaitingCreate[] = [];

  constructor(private readonly writer: Writer) {}

  create({ name, categoryId, status }: NewPet, record: IdempotencyRecord | undefined): Promise<Creation> {
    return new Promise((resolve, reject) => {
      // Copies: the caller may change its objects before these are sent.
      this.gathered.push({
        pet: { name, categoryId, status },
        record: record && { ...record },
        resolve,
        reject,
      });
      // The event loop reads further requests in its next turn, and handles them in the one after.
      if (this.gathered.length === 1) setImmediate(() => setImmediate(this.send));
    });
  }

  /** Sends the gathered creates at once. */
  readonly send = async (): Promise<void> => {
    const creates = this.gathered;
    if (creates.length === 0) return;
    this.gathered = [];
    const sent = creates.map(
      ({ pet, record }) =>
        [pet.name, pet.categoryId, pet.status, record?.key ?? null, record?.fingerprint ?? null] as const,
    );
    try {
      const { ids, replayed } = await this.writer.ask<CreatesResult>(
        { does: "create", creates: sent },
        creates.length,
      );
      for (const [index, name, categoryId, status, fingerprint] of replayed) {
        const pet = { id: ids[index] as bigint, name, categoryId, status };
        creates[index]?.resolve({ pet, replayed: fingerprint });
      }
      // This does not affect promises that are resolved already.
      for (const [index, { pet, resolve }] of creates.entries()) {
        resolve({ pet: { id: ids[index] as bigint, ...pet }, replayed: undefined });
      }
    } catch (cause) {
      const error = storageUnavailable(cause);
      for (const { reject } of creates) reject(error);
    }
  };
}
