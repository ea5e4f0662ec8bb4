/** Items in ascending order of id. */
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

  add(item: Item): void {
    this.items.splice(this.indexAfter(item.id), 0, item);
  }

  /** The index of the first item with a greater id. */
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
