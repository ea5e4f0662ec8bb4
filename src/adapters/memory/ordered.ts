/** Things in ascending order of id. */
export class Ordered<Item extends { readonly id: bigint }> {
  private readonly items: Item[] = [];

  get size(): number {
    return this.items.length;
  }

  get(id: bigint): Item | undefined {
    const found = this.items[this.indexAfter(id - 1n)];
    return found?.id === id ? found : undefined;
  }

  after(id: bigint, limit: number): Item[] {
    const start = this.indexAfter(id);
    return this.items.slice(start, start + limit);
  }

  /** Adds an item with an id that is new. */
  add(item: Item): void {
    const last = this.items.at(-1);
    // A new item comes last, a copied one anywhere.
    if (!last || last.id < item.id) this.items.push(item);
    else this.items.splice(this.indexAfter(item.id), 0, item);
  }

  /** The index of the first item whose id is greater. */
  private indexAfter(id: bigint): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.items[middle] as Item).id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
