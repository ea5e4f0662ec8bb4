import * as v from "valibot";
import { PET_STATUSES } from "../../../../domain/pet.js";
import { int64 } from "../../schemas/int64.js";
import { cursor, limit } from "../../schemas/page-parameters.js";

// The schemas describe the shape of the wire; `pet.ts` and `paging.ts` of the core have the rules on the values.

const status = v.picklist(PET_STATUSES, `must be one of ${PET_STATUSES.join(", ")}`);

/** The body of createPet. */
export const NewPetSchema = v.object({
  name: v.string("must be a string"),
  categoryId: int64,
  status: v.exactOptional(status),
});

/** The query of listPets. */
export const ListPetsQuerySchema = v.object({ limit, status: v.exactOptional(status), cursor });
