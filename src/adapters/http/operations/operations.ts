import type { CreatePet } from "../../../application/create-pet.js";
import type { GetPet } from "../../../application/get-pet.js";
import { type ListPets, PAGE_LIMIT } from "../../../application/list-pets.js";
import type { PetStatus } from "../../../domain/pet.js";
import { answer, JSON_TYPE } from "../answer/answer.js";
import { HttpError } from "../answer/error-codes.js";
import { readJsonObject } from "../body/json-reader.js";
import { bodyText } from "../body/request-body.js";
import type { Handler } from "../context.js";
import { prefixOf, queryOf } from "../request-target.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { idempotencyRecord } from "./idempotency-key.js";
import { petJson, petsJson, storedPetJson } from "./pet-json.js";
import { prefersStrict } from "./prefer.js";
import { readListPetsQuery, readPetDraft, readPetId } from "./schemas.js";

/** `GET /v1/pets`. `origin`, of `PETSTORE_PUBLIC_URL`, goes before the paths of links; it may be empty. */
export function listPets(useCase: ListPets, origin: string): Handler {
  function nextLink(prefix: string, limit: number, status: PetStatus | undefined, next: bigint): string {
    const filter = status ? `&status=${status}` : "";
    return `<${origin}${prefix}/v1/pets?limit=${limit}${filter}&cursor=${encodeCursor(next, status)}>; rel="next"`;
  }

  return async (ctx) => {
    const { limit = PAGE_LIMIT.default, status, cursor } = readListPetsQuery(queryOf(ctx.req));
    const after = cursor === undefined ? undefined : decodeCursor(cursor, status);
    const { pets, next } = await useCase.execute({ limit, status, after });
    const link = next === undefined ? [] : ["Link", nextLink(prefixOf(ctx), limit, status, next)];
    answer(ctx, 200, JSON_TYPE.concat(link), petsJson(pets));
  };
}

/** `POST /v1/pets`. `readBody` stands in front of it. */
export function createPet(useCase: CreatePet): Handler {
  return async (ctx) => {
    const { headers } = ctx.req;
    const body = ctx.request.body as Buffer;
    const record = idempotencyRecord(headers["idempotency-key"], ctx.state.key, body);
    const draft = readPetDraft(readJsonObject(bodyText(body)), prefersStrict(headers.prefer));
    const { pet, replayed } = await useCase.execute(draft, record);
    const answered = [...JSON_TYPE, "Location", `${prefixOf(ctx)}/v1/pets/${pet.id}`];
    if (replayed) answered.push("Idempotency-Replayed", "true");
    answer(ctx, 201, answered, petJson(pet));
  };
}

/** `GET /v1/pets/{petId}`, deprecated. */
export function getPet(useCase: GetPet): Handler {
  return async (ctx) => {
    answer(ctx, 200, JSON_TYPE, storedPetJson(await useCase.execute(readPetId(ctx.params.petId))));
  };
}

/** Answers in place of getPet: `app.ts` chooses it if the operator has turned getPet off. */
export const removedGetPet: Handler = () => {
  throw new HttpError(
    "operation_removed",
    "This operation was removed; use GET /v1/pets with the status filter.",
  );
};

/** `GET /v1/store/orders`, beta: no operation places an order, so there are none. */
export const getStoreOrders: Handler = (ctx) => {
  answer(ctx, 200, JSON_TYPE, "[]");
};
