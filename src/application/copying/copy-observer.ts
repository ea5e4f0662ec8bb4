/** One of the two storages of a copy. */
export type Side = "source" | "target";

export interface CopyProgress {
  readonly phase: "comparing" | "copying" | "verifying";
  /** How many pets this phase has dealt with. */
  readonly pets: number;
  /** About how many pets this phase has to deal with. */
  readonly total: number;
}

/**
 * A copy reports its progress here. Each method may reject, which ends the copy at that point. `terminal-observer.ts`
 * of the command line decides how long to wait for a storage that is away.
 */
export interface CopyObserver {
  /** A batch is done. The copy goes on once this resolves. */
  progressed(progress: CopyProgress): Promise<void>;

  /**
   * A storage cannot be used now, and the copy has asked it `attempt` times in a row. The copy asks again
   * once this resolves.
   *
   * @param answered whether the storage has ever answered this copy
   */
  away(
    side: Side,
    outage: { readonly attempt: number; readonly answered: boolean; readonly error: Error },
  ): Promise<void>;

  /** A storage that was away answers again. */
  back(side: Side): void;
}
