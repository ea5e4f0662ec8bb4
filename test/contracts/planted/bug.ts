import { type Disk, SimplePets } from "./simple-pets.js";

/**
 * The steps that a bug replaces. It may call the right ones of `right`, and is planted anew each time the storage is
 * opened.
 */
type Change = (right: Steps, disk: Disk, pets: SimplePets) => Partial<Steps>;
type Steps = Omit<SimplePets, "disk" | "closed">;

export interface Bug {
  readonly what: string;
  /** The names of the cases that must find the bug. */
  readonly foundBy: readonly string[];
  open(disk: Disk): SimplePets;
}

export function bug(what: string, foundBy: string | readonly string[], change: Change): Bug {
  return { what, foundBy: [foundBy].flat(), open: (disk) => plant(new SimplePets(disk), change) };
}

function plant(pets: SimplePets, change: Change): SimplePets {
  const steps = Object.getOwnPropertyNames(SimplePets.prototype).filter((name) => name !== "constructor");
  const right = Object.fromEntries(
    steps.map((name) => [name, (pets[name as keyof SimplePets] as () => void).bind(pets)]),
  );
  return Object.assign(pets, change(right as unknown as Steps, pets.disk, pets));
}
