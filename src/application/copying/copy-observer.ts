/** Which of the two storages of a copy. */
export type Side = "source" | "target";

export type CopyPhase = "comparing" | "copying" | "verifying";

export interface CopyProgress {
  readonly phase: CopyPhase;
  /** How many pets this phase has seen to. */
  readonly pets: number;
  /** About how many there are for this phase. */
  readonly total: number;
}

/** What a copy tells of itself as it goes on. Each method may reject, which ends the copy as it stands. */
export interface CopyObserver {
  /** Told after every batch; the copy goes on once it resolves. */
  progressed(progress: CopyProgress): Promise<void>;

  /**
   * A storage cannot be used now, and was asked so many times in a row. Resolves once it is to be asked again.
   *
   * @param answered whether it ever answered this copy
   */
  away(
    side: Side,
    outage: { readonly attempt: number; readonly answered: boolean; readonly error: Error },
  ): Promise<void>;

  /** A storage that was away answers again. */
  back(side: Side): void;
}
