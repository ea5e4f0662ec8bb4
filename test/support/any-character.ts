import fc from "fast-check";

/** Any character of Unicode. fast-check's own `unit: "binary"` makes a map of them all, which takes half a second. */
export const anyCharacter = fc
  .nat(0x10ffff)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
