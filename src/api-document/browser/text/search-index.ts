/** A part of the page that search can find. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** All its text. */
  readonly text: string;
}

/**
 * The entries that fit a query, best first. A query may be a whole line of a log: an error code or a header in it is
 * found by its name.
 */
export function search(entries: readonly Entry[], query: string): Entry[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const words = wanted.split(/\s+/);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 8)
    .map(({ entry }) => entry);
}

function scoreOf({ title, kind, text }: Entry, wanted: string, words: readonly string[]): number {
  const name = title.toLowerCase();
  if (name === wanted) return 100;
  if (/[_-]/.test(name) && new RegExp(`(^|[^\\w-])${name}($|[^\\w-])`).test(wanted))
    return 90 + name.length / 100;
  if (name.startsWith(wanted)) return 80;
  if (name.includes(wanted)) return 60;
  const all = `${name} ${kind} ${text}`.toLowerCase();
  if (words.every((word) => name.includes(word) || kind.toLowerCase().includes(word))) return 50;
  return words.every((word) => all.includes(word)) ? 20 : 0;
}
