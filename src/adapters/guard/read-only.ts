import { PetstoreError } from "../../domain/errors.js";
import type { Wrapper } from "./around.js";

/** Refuses every operation that changes something, since the operator has turned changes off. */
export const readOnly: Wrapper = async (call, { kind }) => {
  if (kind === "read") return call();
  throw new PetstoreError(
    "storage_unavailable",
    "The service is read-only for now, since its operator has turned changes off; try again later.",
  );
};
