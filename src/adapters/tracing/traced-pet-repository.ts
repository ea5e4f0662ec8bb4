import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";

/** Makes a span for each operation of a storage, except for `ping`, which belongs to no request. */
export class TracedPetRepository implements PetRepository {
  constructor(
    private readonly repository: PetRepository,
    private readonly tracer: Tracer,
  ) {}

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.trace("create", () => this.repository.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.trace("get", () => this.repository.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.trace("list", () => this.repository.list(range));
  }

  ping(): Promise<void> {
    return this.repository.ping();
  }

  close(): Promise<void> {
    return this.repository.close();
  }

  private async trace<Result>(operation: string, run: () => Promise<Result>): Promise<Result> {
    const span = this.tracer.startSpan(`storage ${operation}`);
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}
