/** A commit that takes longer than this counts as slow, in milliseconds. */
const SLOW = 1000;

/** The place of each number in the shared memory. Times are in milliseconds. */
const AT = { commits: 0, commitTime: 1, slowCommits: 2, begun: 3, checkpoints: 4, walBytes: 5 };
const NUMBERS = Object.keys(AT).length;
const BUSY = 0;
const STOPPING = 1;

/**
 * Numbers that the writing thread shows without a message, so that others can read them while the thread
 * stands still in a system call. Only the thread changes them, except for `stop`.
 */
export class WriterGauges {
  private readonly numbers: Float64Array;
  private readonly flags: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(8 * NUMBERS + 8)) {
    this.numbers = new Float64Array(memory, 0, NUMBERS);
    this.flags = new Int32Array(memory, 8 * NUMBERS);
  }

  get commits(): number {
    return this.read(AT.commits);
  }

  /** The time of all commits, including the one that runs, in seconds. */
  get commitSeconds(): number {
    return (this.read(AT.commitTime) + this.running) / 1000;
  }

  /** The number of commits that have taken longer than a second, including one that still runs. */
  get slowCommits(): number {
    return this.read(AT.slowCommits) + (this.running > SLOW ? 1 : 0);
  }

  get checkpoints(): number {
    return this.read(AT.checkpoints);
  }

  /** The size of the write-ahead log after the last commit. */
  get walBytes(): number {
    return this.read(AT.walBytes);
  }

  commitBegins(): void {
    this.numbers[AT.begun] = sharedNow();
  }

  commitEnds(): void {
    const taken = this.running;
    this.numbers[AT.begun] = 0;
    this.add(AT.commitTime, taken);
    this.add(AT.commits, 1);
    if (taken > SLOW) this.add(AT.slowCommits, 1);
  }

  checkpointDone(): void {
    this.add(AT.checkpoints, 1);
  }

  walHas(bytes: number): void {
    this.numbers[AT.walBytes] = bytes;
  }

  /** Marks the thread as busy in a system call; false if the process ends and the work must not begin. */
  begin(): boolean {
    Atomics.store(this.flags, BUSY, 1);
    if (Atomics.load(this.flags, STOPPING) === 0) return true;
    this.end();
    return false;
  }

  end(): void {
    Atomics.store(this.flags, BUSY, 0);
    Atomics.notify(this.flags, BUSY);
  }

  /** Does work during which the thread is busy. */
  busyWith<Result>(work: () => Result): Result {
    if (!this.begin()) throw new Error("The process ends.");
    try {
      return work();
    } finally {
      this.end();
    }
  }

  /** Lets the thread begin no more work, and blocks; false if it is busy after `patience` milliseconds. */
  stop(patience: number): boolean {
    Atomics.store(this.flags, STOPPING, 1);
    return Atomics.wait(this.flags, BUSY, 1, patience) !== "timed-out";
  }

  /** Forgets what a thread was doing when it died. */
  reset(): void {
    this.numbers[AT.begun] = 0;
    this.end();
  }

  /** How long the running commit has taken, in milliseconds; 0 if none runs. */
  private get running(): number {
    const begun = this.read(AT.begun);
    return begun === 0 ? 0 : sharedNow() - begun;
  }

  private read(index: number): number {
    return this.numbers[index] as number;
  }

  private add(index: number, amount: number): void {
    this.numbers[index] = this.read(index) + amount;
  }
}

/** Milliseconds on a clock that all threads of the process share, and that never jumps. */
export function sharedNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
