/**
 * The mark of a copy on its target until everything is there and verified. It does not say how far the copy got:
 * `CopyCatalogue` compares both sides to go on from there, and refuses a target that has other pets.
 */
const UNFINISHED = "unfinished copy";

/** A mark that stays on a target for a moment, to see whether the source shows it, too. */
const BEGINS = "copy begins";

/** Whether a storage with this mark holds a part of a catalogue, so that no service may run on it. */
export function isUnfinishedCopy(mark: string | undefined): boolean {
  return mark?.startsWith(UNFINISHED) ?? false;
}

export function unfinishedCopy(token: string): string {
  return `${UNFINISHED} ${token}`;
}

export function copyBegins(token: string): string {
  return `${BEGINS} ${token}`;
}
