import * as v from "valibot";
import { PET_STATUSES, type Pet } from "../../../domain/pet.js";

export const status = v.exactOptional(v.picklist(PET_STATUSES, `must be one of ${PET_STATUSES.join(", ")}`));

/** Writes a pet as JSON by hand, since JSON.stringify cannot write a bigint. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${digits(id)},"name":${JSON.stringify(name)},"categoryId":${digits(categoryId)},"status":"${status}"}`;
}

/** Returns a number where it is exact, since that takes less time to write. */
function digits(integer: bigint): bigint | number {
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}
