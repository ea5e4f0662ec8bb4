/** The highest id that a resource may have: below 2^53, where a double is exact. */
export const LAST_ID = 2n ** 53n - 1n;
