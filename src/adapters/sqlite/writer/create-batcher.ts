import type { Creation, IdempotencyRecord } from "../../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../../domain/errors.js";
import type { NewPet } from "../../../domain/pet.js";
import type { CreatesResult, SentValue } from "./messages.js";
import type { Writer } from "./writer.js";

interface WaitingCreate {
  readonly pet: NewPet;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends creates that arrive together in one message, which costs as much as ten creates, however many it has. In the
 * writing thread, `committer.ts` brings the creates of several messages to the disk in one commit; `create-writer.ts`
 * stores them, and finds the earlier create of a repeated one.
 */
export class CreateBatcher {
  private gathered: WaitingCreate[] = [];
  private values: SentValue[] = [];

  constructor(private readonly writer: Writer) {}

  create({ name, categoryId, status }: NewPet, record: IdempotencyRecord | undefined): Promise<Creation> {
    return new Promise((resolve, reject) => {
      // A copy: the caller may change its object before it gets the answer.
      this.gathered.push({ pet: { name, categoryId, status }, resolve, reject });
      this.values.push(name, categoryId, status, record?.key ?? null, record?.fingerprint ?? null);
      // The event loop reads further requests in its next turn, and handles them in the one after.
      if (this.gathered.length === 1) setImmediate(() => setImmediate(this.send));
    });
  }

  /** Sends the gathered creates at once. */
  readonly send = async (): Promise<void> => {
    const { gathered, values } = this;
    if (gathered.length === 0) return;
    this.gathered = [];
    this.values = [];
    try {
      const { first, replayed } = await this.writer.ask<CreatesResult>(
        { does: "create", values },
        gathered.length,
      );
      for (const [index, id, name, categoryId, status, fingerprint] of replayed) {
        gathered[index]?.resolve({ pet: { id, name, categoryId, status }, replayed: fingerprint });
      }
      const again = new Set(replayed.map(([index]) => index));
      let id = first;
      for (const [index, { pet, resolve }] of gathered.entries()) {
        if (again.has(index)) continue;
        const { name, categoryId, status } = pet;
        resolve({ pet: { id: id++, name, categoryId, status }, replayed: undefined });
      }
    } catch (cause) {
      const error = storageUnavailable(cause);
      for (const { reject } of gathered) reject(error);
    }
  };
}
