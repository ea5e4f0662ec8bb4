/** Something to do: the name of an operation, and its parameter. */
export interface Work {
  readonly does: string;
  readonly value: unknown;
}

/** A message to a thread: to do the work in one transaction, or to close the file and end. */
export type Batch = readonly Work[] | "close";

/** The answer of a thread to a batch. Its first message, once its file is open, is the identity of that (`identityOf`). */
export interface Answer {
  /** In the order of the work. */
  readonly results: readonly unknown[];
  /** For the work that failed, its place in the batch and the reason. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly at: number;
  readonly message: string;
  /** The result code of SQLite. */
  readonly errcode: number | undefined;
}
