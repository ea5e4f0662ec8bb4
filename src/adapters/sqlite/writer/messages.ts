import type { WriteOperations } from "../schema.js";

/** Something to write: the name of an operation, and its parameter. */
export interface Work {
  readonly does: keyof WriteOperations;
  readonly value: unknown;
}

/** A message to the thread. */
export type Order =
  /** To do the work in one transaction. */
  | { readonly order: "commit"; readonly work: readonly Work[] }
  /** To close the file, and end. */
  | { readonly order: "close" };

/** A message of the thread: first `open`, then an answer to each `commit`. */
export type Report =
  | { readonly report: "open" }
  /** With the results in the order of the work. */
  | { readonly report: "committed"; readonly results: readonly unknown[] }
  /** Nothing of the work is stored. */
  | { readonly report: "failed"; readonly message: string; readonly errcode: number | undefined };
