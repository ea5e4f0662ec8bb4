export interface CopyProgress {
  readonly phase: "comparing" | "copying" | "verifying";
  /** How many pets this phase has dealt with. */
  readonly pets: number;
  /** About how many pets this phase has to deal with. */
  readonly total: number;
}

/** Gets the progress after each step. */
export type Progressed = (progress: CopyProgress) => void;

/** How many pets are a step. */
export const STEP = 1000;
