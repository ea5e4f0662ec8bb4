import * as v from "valibot";
import { isHost, isHttpUrl } from "./addresses.js";

export const host = (rule: string) => v.optional(v.pipe(v.string(), v.check(isHost, rule)), "127.0.0.1");

/** A host, or a Unix socket. On Linux the path of a socket has at most 107 bytes (unix(7), sun_path). */
export const hostOrUnixSocket = (rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check((text) => (text.startsWith("unix:") ? /^unix:\/.{0,106}$/.test(text) : isHost(text)), rule),
    ),
    "127.0.0.1",
  );

export const port = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535,
        "must be a port from 0 to 65535, e.g. 3000",
      ),
      v.transform(Number),
    ),
    fallback,
  );

export const seconds = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => /^\d{1,4}$/.test(text) && Number(text) <= 3600,
        "must be a number of seconds from 0 to 3600, e.g. 10",
      ),
      v.transform(Number),
    ),
    fallback,
  );

export const count = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[1-9]\d{0,5}$/, `must be a whole number from 1 to 999999, e.g. ${fallback}`),
      v.transform(Number),
    ),
    fallback,
  );

/** Items separated by commas. */
export const list = (isItem: (item: string) => boolean, rule: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((items) => items.split(",").map((item) => item.trim())),
      v.check((items) => items.every(isItem), rule),
    ),
  );

export const text = (rule: string) => v.pipe(v.string(), v.nonEmpty(rule));

/** The URL to which traces go. Like OpenTelemetry, this rule takes an empty variable as not set. */
export const collector = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (url) => url === "" || isHttpUrl(url),
        "must be the http or https URL of a collector, e.g. http://127.0.0.1:4318",
      ),
    ),
  );
