import * as v from "valibot";
import { PET_STATUSES, type Pet } from "../../../domain/pet.js";

export const status = v.exactOptional(v.picklist(PET_STATUSES, `must be one of ${PET_STATUSES.join(", ")}`));

/** JSON.stringify cannot write a bigint. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
