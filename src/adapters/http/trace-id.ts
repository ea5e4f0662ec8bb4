/** The trace id of a `traceparent` header (W3C Trace Context, section 3.2); undefined if it is malformed. */
export function traceIdOf(traceparent: string): string | undefined {
  const [, version, id] =
    /^([\da-f]{2})-([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/.exec(traceparent) ?? [];
  if (id === undefined || version === "ff" || /^0+$/.test(id)) return undefined;
  return version === "00" && traceparent.length !== 55 ? undefined : id;
}
