import type { CreatePet } from "../../../application/create-pet.js";
import type { GetPet } from "../../../application/get-pet.js";
import type { ListPets } from "../../../application/list-pets.js";
import { PAGE_LIMIT } from "../../../application/paging.js";
import type { PetStatus } from "../../../domain/pet.js";
import type { Operation } from "../context.js";
import { HttpError } from "../http-error.js";
import { readId, readQuery } from "../json/read-input.js";
import { readCreate, setCreated } from "../shared/create.js";
import { decodeCursor } from "../shared/cursor.js";
import { writePage } from "../shared/page.js";
import { ListQuerySchema, NewPetSchema, petJson } from "./pet-schemas.js";

export interface PetUseCases {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
}

interface PetSettings {
  readonly publicUrl?: string | undefined;
  readonly getPet: "served" | "removed";
}

/** The filter in a cursor; 0 is none. Never change these numbers: clients hold cursors. */
const TAGS: Readonly<Record<PetStatus, number>> = { available: 1, pending: 2, sold: 3 };

export function petOperations(
  { listPets, createPet, getPet }: PetUseCases,
  { publicUrl: origin = "", getPet: availability }: PetSettings,
): Operation[] {
  return [
    {
      id: "listPets",
      method: "get",
      path: "/v1/pets",
      async handle(ctx) {
        const { limit = PAGE_LIMIT.default, status, cursor } = readQuery(ListQuerySchema, ctx.querystring);
        // Cursors of pets had no text from the first, and must stay valid.
        const scope = { tag: status ? TAGS[status] : 0, text: "" };
        const after = cursor === undefined ? undefined : decodeCursor(cursor, scope);
        const page = await listPets.execute({ limit, status, after });
        return writePage(ctx, page, petJson, { origin, limit, filter: { status }, scope });
      },
    },
    {
      id: "createPet",
      method: "post",
      path: "/v1/pets",
      async handle(ctx) {
        const { draft, record } = readCreate(ctx, NewPetSchema);
        const { pet, replayed } = await createPet.execute(draft, record);
        setCreated(ctx, pet.id, replayed);
        return petJson(pet);
      },
    },
    {
      id: "getPet",
      method: "get",
      path: "/v1/pets/:petId",
      // RFC 9745 and RFC 8594. Neither date may change; the first is that of the first release, 21 November 2026.
      deprecation: {
        Deprecation: "@1795219200",
        Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
        Link:
          `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
          `<${origin}/docs>; rel="deprecation"; type="text/html"`,
      },
      async handle(ctx) {
        if (availability === "removed") throw REMOVED;
        return petJson(await getPet.execute(readId(ctx.params.petId)));
      },
    },
  ];
}

const REMOVED = new HttpError(
  "operation_removed",
  "This operation was removed; use GET /v1/pets with the status filter.",
);
