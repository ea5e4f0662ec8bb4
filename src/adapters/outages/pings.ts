import { storageUnavailable } from "../../domain/errors.js";
import { OperationDeadlines } from "./operation-deadlines.js";

/** How long to wait before the next ping of a storage that is away, in milliseconds. */
const SHORTEST_PAUSE = 500;
const LONGEST_PAUSE = 60_000;

/** How many pings may be without an answer of the storage. */
const MOST = 100;

/**
 * Pings a storage, with a deadline. A storage that never settles its pings still gets new ones, since it may have
 * forgotten only the old ones. The intervals become longer and longer. After a hundred unsettled pings the storage gets
 * none until it settles one.
 */
export class Pings {
  private readonly underWay = new OperationDeadlines();

  constructor(private readonly ping: () => Promise<void>) {}

  /** Rejects if the storage does, or if it does not answer in time. */
  ask(): Promise<void> {
    if (this.underWay.size >= MOST) {
      return Promise.reject(
        storageUnavailable(new Error(`the storage has left ${MOST} pings without an answer`)),
      );
    }
    return new Promise((resolve, reject) => this.underWay.run(this.ping, resolve, reject));
  }

  /** How long to wait before the next one, in milliseconds. It doubles with each unsettled ping but the first. */
  get pause(): number {
    return Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** Math.max(0, this.underWay.size - 1));
  }
}
