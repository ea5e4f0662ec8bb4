import { HttpError } from "../../answer/error-codes.js";
import type { Deprecation, Handler } from "../../context.js";

/** getPet, from the first release on; the contract says when it goes. Never change either. */
export const DEPRECATED: Deprecation = {
  since: "@1795219200",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  successor: "/v1/pets?status=available",
};

/** Answers in place of getPet if the operator has turned it off. */
export const removedGetPet: Handler = () => {
  throw new HttpError(
    "operation_removed",
    "This operation was removed; use GET /v1/pets with the status filter.",
  );
};
