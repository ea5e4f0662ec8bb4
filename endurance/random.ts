/** Random numbers that a seed and a name determine. Each part of a run draws from a stream of its own. */
export class Random {
  private state: number;

  constructor(seed: number, stream: string) {
    this.state = seed >>> 0;
    for (const character of stream) {
      this.state = Math.imul(this.state ^ (character.codePointAt(0) as number), 0x01000193);
    }
  }

  /** From 0 up to, and not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both ends are possible. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }

  /** Picks an item; the greater its weight, the likelier. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    const found = items.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return found ?? (items.at(-1) as Item);
  }

  /** The time until the next event, in milliseconds, if so many come per second on average. */
  pause(perSecond: number): number {
    return (-Math.log(1 - this.next()) * 1000) / perSecond;
  }
}
