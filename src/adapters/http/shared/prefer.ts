/** Whether `Prefer` (RFC 7240) asks for strict handling. The first of several `handling` preferences counts. */
export function prefersStrict(header: string | string[] = ""): boolean {
  for (const preference of String(header).match(/(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g) ?? []) {
    const [, handling] = /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (handling) return handling.toLowerCase() === "strict";
  }
  return false;
}
