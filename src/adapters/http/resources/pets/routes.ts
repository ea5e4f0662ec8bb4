import type { CreatePet } from "../../../../application/create-pet.js";
import type { GetPet } from "../../../../application/get-pet.js";
import type { ListPets } from "../../../../application/list-pets.js";
import { PAGE_LIMIT } from "../../../../application/paging.js";
import { PET_STATUSES, type PetStatus } from "../../../../domain/pet.js";
import { JSON_TYPE } from "../../answer/fixed-headers.js";
import { readJsonObject } from "../../body/json-reader.js";
import type { Handler, Route } from "../../context.js";
import { idempotencyRecord } from "../../headers/idempotency-key.js";
import { prefersStrict } from "../../headers/prefer.js";
import { callerOf } from "../../middleware/authenticate.js";
import { decodeCursor } from "../../paging/cursor.js";
import { nextLink } from "../../paging/next-link.js";
import { readId } from "../../schemas/int64.js";
import { readMembers, readQuery } from "../../schemas/read.js";
import { deprecationHeaders, removedGetPet } from "./deprecation.js";
import { petJson, petsJson } from "./pet-json.js";
import { ListPetsQuerySchema, NewPetSchema } from "./schemas.js";

interface PetUseCases {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
}

/**
 * The operations on pets.
 *
 * @param origin of absolute links, without a slash at the end; if it is empty, links are relative
 * @param getPetServed whether the service still serves getPet; if not, it answers 410
 */
export function pets(useCases: PetUseCases, origin: string, getPetServed: boolean): Route[] {
  return [
    { operationId: "listPets", method: "get", path: "/v1/pets", handle: listPets(useCases.listPets, origin) },
    {
      operationId: "createPet",
      method: "post",
      path: "/v1/pets",
      needsBody: true,
      handle: createPet(useCases.createPet),
    },
    {
      operationId: "getPet",
      method: "get",
      path: "/v1/pets/:petId",
      handle: getPetServed ? getPet(useCases.getPet) : removedGetPet,
      deprecated: deprecationHeaders(origin),
    },
  ];
}

/** The number of a filter in a cursor: 0 for none, otherwise the status's place counted from 1. Never change it. */
const filterNumber = (status: PetStatus | undefined) => (status ? PET_STATUSES.indexOf(status) + 1 : 0);

/** `GET /v1/pets`. `origin` goes before the paths of links; it may be empty. */
function listPets(useCase: ListPets, origin: string): Handler {
  return async (ctx) => {
    const { limit = PAGE_LIMIT.default, status, cursor } = readQuery(ListPetsQuerySchema, ctx.querystring);
    const filter = filterNumber(status);
    const after = cursor === undefined ? undefined : decodeCursor(cursor, filter);
    const { items, next } = await useCase.execute({ limit, status, after });
    if (next !== undefined) ctx.set("Link", nextLink(`${origin}/v1/pets`, { limit, status }, next, filter));
    ctx.set(JSON_TYPE);
    ctx.body = petsJson(items);
  };
}

/** `POST /v1/pets`. */
function createPet(useCase: CreatePet): Handler {
  return async (ctx) => {
    const { headers } = ctx.req;
    const body = ctx.request.body as string;
    const record = idempotencyRecord(headers["idempotency-key"], callerOf(ctx), body);
    const draft = readMembers(NewPetSchema, readJsonObject(body), prefersStrict(headers.prefer));
    const { pet, replayed } = await useCase.execute(draft, record);
    ctx.status = 201;
    ctx.set({ ...JSON_TYPE, Location: `/v1/pets/${pet.id}` });
    if (replayed) ctx.set("Idempotency-Replayed", "true");
    ctx.body = petJson(pet);
  };
}

/** `GET /v1/pets/{petId}`, deprecated. */
function getPet(useCase: GetPet): Handler {
  return async (ctx) => {
    const pet = await useCase.execute(readId(ctx.params.petId));
    ctx.set(JSON_TYPE);
    ctx.body = petJson(pet);
  };
}
