import type { CreatePet } from "../../../application/create-pet.js";
import type { GetPet } from "../../../application/get-pet.js";
import { type ListPets, PAGE_LIMIT } from "../../../application/list-pets.js";
import type { PetStatus } from "../../../domain/pet.js";
import { answerJson } from "../answer/answer-json.js";
import { HttpError } from "../answer/error-codes.js";
import { readJsonObject } from "../body/json-reader.js";
import { bodyText, readBody } from "../body/request-body.js";
import type { Handler } from "../context.js";
import { prefixOf } from "../request-target.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { idempotencyRecord } from "./idempotency-key.js";
import { petJson, petsJson, storedPetJson } from "./pet-json.js";
import { prefersStrict } from "./prefer.js";
import { type ListPetsParameters, readListPetsQuery, readPetDraft, readPetId } from "./schemas.js";

const NO_PARAMETERS: ListPetsParameters = {};

/** `GET /v1/pets`. `origin`, of `PETSTORE_PUBLIC_URL`, goes before the paths of links; it may be empty. */
export function listPets(useCase: ListPets, origin: string): Handler {
  function nextLink(prefix: string, limit: number, status: PetStatus | undefined, next: bigint): string {
    const filter = status ? `&status=${status}` : "";
    return `<${origin}${prefix}/v1/pets?limit=${limit}${filter}&cursor=${encodeCursor(next, status)}>; rel="next"`;
  }

  return async (ctx) => {
    const query = ctx.request.querystring;
    const { limit = PAGE_LIMIT.default, status, cursor } = query ? readListPetsQuery(query) : NO_PARAMETERS;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, status);
    const { pets, next } = await useCase.execute({ limit, status, after });
    if (next !== undefined) ctx.response.set("Link", nextLink(prefixOf(ctx), limit, status, next));
    answerJson(ctx, 200, petsJson(pets));
  };
}

/** `POST /v1/pets`. */
export function createPet(useCase: CreatePet): Handler {
  return async (ctx) => {
    const { headers } = ctx.req;
    const body = await readBody(ctx);
    const record = idempotencyRecord(headers["idempotency-key"], ctx.state.key, body);
    const draft = readPetDraft(readJsonObject(bodyText(body)), prefersStrict(headers.prefer));
    const { pet, replayed } = await useCase.execute(draft, record);
    ctx.response.set("Location", `${prefixOf(ctx)}/v1/pets/${pet.id}`);
    if (replayed) ctx.response.set("Idempotency-Replayed", "true");
    answerJson(ctx, 201, petJson(pet));
  };
}

/** `GET /v1/pets/{petId}`, deprecated. */
export function getPet(useCase: GetPet): Handler {
  return async (ctx) => {
    answerJson(ctx, 200, storedPetJson(await useCase.execute(readPetId(ctx.params.petId))));
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
  answerJson(ctx, 200, "[]");
};
