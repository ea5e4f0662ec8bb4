import * as v from "valibot";
import { PET_STATUSES, type Pet } from "../../../domain/pet.js";
import { int64 } from "../json/read-input.js";
import { cursor, limit } from "../shared/page.js";

// The rules on the wire; the others are in `pet.ts` and `paging.ts` of the core.

const status = v.exactOptional(v.picklist(PET_STATUSES, `must be one of ${PET_STATUSES.join(", ")}`));

export const NewPetSchema = v.object({ name: v.string("must be a string"), categoryId: int64, status });
export const ListQuerySchema = v.object({ limit, status, cursor });

/** JSON.stringify cannot write a bigint. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
