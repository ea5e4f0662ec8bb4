import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { aroundOperations } from "../../application/ports/around-operations.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";

/** Makes a span for each operation of a storage, except for `ping`, which belongs to no request. */
export function tracedPetRepository(pets: PetRepository, tracer: Tracer): PetRepository {
  return aroundOperations(pets, async (operation, run) => {
    if (operation === "ping") return run();
    const span = tracer.startSpan(`storage ${operation}`);
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
