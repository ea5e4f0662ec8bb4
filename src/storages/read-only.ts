import { PetstoreError } from "../domain/errors.js";
import { around, type PortOf } from "./around.js";

/** A port that refuses every operation that changes something, since the operator has turned changes off. */
export function readOnly<Port extends PortOf<Port>>(
  port: Port,
  operations: Readonly<Record<keyof Port, "read" | "write">>,
): Port {
  return around(port, operations, async (call, name) => {
    if (operations[name] === "read") return call();
    throw new PetstoreError(
      "storage_unavailable",
      "The service is read-only for now, since its operator has turned changes off; try again later.",
    );
  });
}
