/** Tells the writing thread that something has come, so that it can wait without an event loop. */
export class Bell {
  private readonly rings: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(4)) {
    this.rings = new Int32Array(memory);
  }

  ring(): void {
    Atomics.add(this.rings, 0, 1);
    Atomics.notify(this.rings, 0);
  }

  /** How often it has been rung. */
  get rung(): number {
    return Atomics.load(this.rings, 0);
  }

  /** Blocks until it has been rung more than `rung` times, or for so many milliseconds. */
  wait(rung: number, milliseconds: number): void {
    Atomics.wait(this.rings, 0, rung, milliseconds);
  }
}
