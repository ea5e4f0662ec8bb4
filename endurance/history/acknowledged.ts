/**
 * The ids of stored pets, in ascending order. Each has a turn, which numbers the ids in the order of their
 * acknowledgement: a read must show every id whose turn came before the read began.
 */
export class AcknowledgedIds {
  private readonly ids: number[] = [];
  private readonly turns = new Map<number, number>();

  get size(): number {
    return this.turns.size;
  }

  has(id: number): boolean {
    return this.turns.has(id);
  }

  add(id: number, turn: number): void {
    this.turns.set(id, turn);
    // Ids nearly ascend, so the place is close to the end.
    let place = this.ids.length;
    while (place > 0 && (this.ids[place - 1] as number) > id) place--;
    this.ids.splice(place, 0, id);
  }

  at(index: number): number | undefined {
    return this.ids[index];
  }

  /** The ids above `after` and up to `last` that were acknowledged before the given turn, at most `limit` of them. */
  between(after: number, last: number, before: number, limit: number): number[] {
    const found: number[] = [];
    for (let index = this.firstAbove(after); index < this.ids.length && found.length < limit; index++) {
      const id = this.ids[index] as number;
      if (id > last) break;
      if ((this.turns.get(id) as number) < before) found.push(id);
    }
    return found;
  }

  private firstAbove(id: number): number {
    let [from, to] = [0, this.ids.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.ids[middle] as number) > id) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
