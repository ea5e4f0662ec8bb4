import type { Disk, Row } from "../disk.js";
import type { SimplePets } from "../simple-pets.js";

export interface Bug {
  readonly what: string;
  /** The names of the cases that must find the bug. */
  readonly foundBy: readonly string[];
  readonly storage: new (disk: Disk) => SimplePets;
}

export type Draft = Omit<Row, "id">;

export function bug(what: string, foundBy: string | readonly string[], storage: Bug["storage"]): Bug {
  return { what, foundBy: [foundBy].flat(), storage };
}
