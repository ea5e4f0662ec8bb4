import type Router from "@koa/router";
import type { CreatePet } from "../../../application/create-pet.js";
import type { GetPet } from "../../../application/get-pet.js";
import type { ListPets } from "../../../application/list-pets.js";
import { PAGE_LIMIT } from "../../../application/paging.js";
import type { PetStatus } from "../../../domain/pet.js";
import type { State } from "../context.js";
import { JSON_TYPE } from "../headers.js";
import { HttpError } from "../http-error.js";
import { readObject } from "../json/read-object.js";
import { readMembers, readQuery } from "../json/schemas.js";
import type { Operate, Operation } from "../middleware/operate.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { idempotencyRecord } from "./idempotency-key.js";
import { prefersStrict } from "./prefer.js";
import { ListQuerySchema, NewPetSchema, petJson } from "./schemas.js";

export interface PetUseCases {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
}

/** `origin` precedes the paths of links. */
export function routePets(
  router: Router<State>,
  operate: Operate,
  useCases: PetUseCases,
  origin: string,
  isGetPetServed: boolean,
): void {
  const getOne = isGetPetServed ? getPet(useCases.getPet) : removed;
  router.get("/v1/pets", operate("listPets", listPets(useCases.listPets, origin)));
  router.post("/v1/pets", operate("createPet", createPet(useCases.createPet), { takesBody: true }));
  router.get("/v1/pets/:petId", operate("getPet", getOne, { isDeprecated: true }));
}

/** The filter in a cursor; 0 is none. Never change these numbers: clients hold cursors. */
const FILTERS: Readonly<Record<PetStatus, number>> = { available: 1, pending: 2, sold: 3 };

function listPets(useCase: ListPets, origin: string): Operation {
  return async (ctx) => {
    const { limit = PAGE_LIMIT.default, status, cursor } = readQuery(ListQuerySchema, ctx.querystring);
    const filter = status ? FILTERS[status] : 0;
    const after = cursor === undefined ? undefined : decodeCursor(cursor, filter);
    const { items, next } = await useCase.execute({ limit, status, after });
    if (next !== undefined) {
      const query = `limit=${limit}${status ? `&status=${status}` : ""}&cursor=${encodeCursor(next, filter)}`;
      ctx.set("Link", `<${origin}/v1/pets?${query}>; rel="next"`);
    }
    ctx.set("Content-Type", JSON_TYPE);
    ctx.body = `[${items.map(petJson).join()}]`;
  };
}

function createPet(useCase: CreatePet): Operation {
  return async (ctx) => {
    const { headers } = ctx.req;
    const body = ctx.request.body as string;
    const record = idempotencyRecord(headers["idempotency-key"], ctx.state.key, body);
    const draft = readMembers(NewPetSchema, readObject(body), prefersStrict(headers.prefer));
    const { pet, replayed } = await useCase.execute(draft, record);
    ctx.status = 201;
    ctx.set("Location", `/v1/pets/${pet.id}`);
    if (replayed) ctx.set("Idempotency-Replayed", "true");
    ctx.set("Content-Type", JSON_TYPE);
    ctx.body = petJson(pet);
  };
}

function getPet(useCase: GetPet): Operation {
  return async (ctx) => {
    const { petId } = ctx.params;
    // A malformed id counts as 0, which no pet has.
    const pet = await useCase.execute(/^[1-9]\d{0,18}$/.test(petId) ? BigInt(petId) : 0n);
    ctx.set("Content-Type", JSON_TYPE);
    ctx.body = petJson(pet);
  };
}

function removed(): never {
  throw new HttpError(
    "operation_removed",
    "This operation was removed; use GET /v1/pets with the status filter.",
  );
}
