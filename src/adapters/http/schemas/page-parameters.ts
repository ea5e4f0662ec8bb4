import * as v from "valibot";

// The parameters that every list has in its query.

/** `paging.ts` of the core has its bounds. */
export const limit = v.exactOptional(
  v.pipe(v.string(), v.regex(/^\d+$/, "must be a whole number in plain decimal digits"), v.transform(Number)),
);

/** `paging/cursor.ts` reads it. */
export const cursor = v.exactOptional(v.string());
