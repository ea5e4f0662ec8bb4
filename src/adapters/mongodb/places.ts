import type { Kind } from "../guard/around.js";
import { DatabaseError } from "./errors.js";
import { DEADLINE } from "./reading.js";

/** Which part of the average the latest operation is. */
const WEIGHT = 1 / 8;

/** How much longer than on average an operation may take: a create with a key takes twice as long as one without. */
const MARGIN = 1.5;

interface Waiting {
  /** By `performance.now()`. */
  readonly deadline: number;
  enter(): void;
  refuse(reason: Error): void;
}

/**
 * As many places for operations as there are connections, so that an operation that has begun waits for no connection
 * between its commands. The others wait in order, and begin only if enough time is left. Reads and writes come by turns, so
 * that neither keep the others out.
 */
export class Places {
  private readonly queues: Record<Kind, Waiting[]> = { read: [], write: [] };
  /** How long operations take on average once they have begun, in milliseconds. */
  private readonly usual: Record<Kind, number> = { read: 0, write: 0 };
  private turn: Kind = "read";

  constructor(private free: number) {}

  /**
   * Resolves once the caller has a place, to the function that leaves it.
   *
   * @throws DatabaseError once the caller could no longer be served in time
   */
  enter(kind: Kind): Promise<() => void> {
    const deadline = performance.now() + DEADLINE;
    return new Promise((resolve, refuse) => {
      const enter = () => {
        const began = performance.now();
        resolve(() => {
          this.usual[kind] += WEIGHT * (performance.now() - began - this.usual[kind]);
          this.leave();
        });
      };
      if (this.free === 0) this.queues[kind].push({ deadline, enter, refuse });
      else {
        this.free--;
        enter();
      }
    });
  }

  private leave(): void {
    const last = this.turn;
    this.turn = last === "read" ? "write" : "read";
    const next = this.takeFrom(this.turn) ?? this.takeFrom(last);
    if (next) next.enter();
    else this.free++;
  }

  private takeFrom(kind: Kind): Waiting | undefined {
    const end = performance.now() + MARGIN * this.usual[kind];
    for (;;) {
      const next = this.queues[kind].shift();
      if (!next || next.deadline > end) return next;
      next.refuse(new DatabaseError("no connection was free in time"));
    }
  }
}
