import type { JsonObject } from "../../json.js";

export interface PlacedOperation {
  readonly id: string;
  readonly method: string;
  /** With the base path. */
  readonly path: string;
  readonly operation: JsonObject;
}

/** The operations in the order of the document. */
export function operationsOf(document: JsonObject): PlacedOperation[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, JsonObject>>).map(([method, operation]) => ({
      id: operation.operationId as string,
      method: method.toUpperCase(),
      path: baseOf(document) + path,
      operation,
    })),
  );
}

export function baseOf(document: JsonObject): string {
  const [{ url = "" } = {}] = document.servers as readonly { url?: string }[];
  return url;
}
