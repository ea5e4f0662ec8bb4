import type { Random } from "../random.js";

/** The API keys that the service surely accepts now. */
export class KeyRing {
  private readonly others: string[] = [];

  constructor(
    /** The key that lasts for the whole run. */
    readonly own: string,
    private readonly random: Random,
  ) {}

  any(): string {
    return this.others.length > 0 && this.random.chance(0.3) ? this.random.pick(this.others) : this.own;
  }

  add(key: string): void {
    this.others.push(key);
  }

  /** From now on no client gets the key. */
  remove(key: string): void {
    this.others.splice(this.others.indexOf(key), 1);
  }
}
