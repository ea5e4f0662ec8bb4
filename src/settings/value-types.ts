import * as v from "valibot";

export const host = (isAddress: (text: string) => boolean, rule: string) =>
  v.optional(v.pipe(v.string(), v.check(isAddress, rule)), "127.0.0.1");

const number = (form: RegExp, most: number, rule: string, fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check((text) => form.test(text) && Number(text) <= most, rule),
      v.transform(Number),
    ),
    fallback,
  );

export const port = (fallback: string) =>
  number(/^\d{1,5}$/, 65535, "must be a port from 0 to 65535, e.g. 3000", fallback);

export const seconds = (fallback: string) =>
  number(/^\d{1,4}$/, 3600, "must be a number of seconds from 0 to 3600, e.g. 10", fallback);

export const count = (fallback: string) =>
  number(/^[1-9]\d{0,5}$/, 999999, `must be a whole number from 1 to 999999, e.g. ${fallback}`, fallback);

/** Items separated by commas. */
export const list = (isItem: (item: string) => boolean, rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((items) => items.split(",").map((item) => item.trim())),
      v.check((items) => items.every(isItem), rule),
    ),
  );
