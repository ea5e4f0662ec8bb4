/** The text of a JSON number. As a double the number could lose digits. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** The next number of a JSON text from this place on. */
export function numberAt(text: string, start: number): JsonNumber {
  const number = /[-+.\deE]+/g;
  number.lastIndex = start;
  return new JsonNumber(number.exec(text)?.[0] as string);
}

/**
 * The exact integer that a JSON number stands for: `5`, `5.0`, `5e0` and `-0` are integers. Undefined if it
 * has a fraction or more than 19 digits, which no int64 has. `schemas/int64.ts` refuses the other integers outside int64.
 */
export function toInteger({ text }: JsonNumber): bigint | undefined {
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const significant = digits.slice(0, end);
  const zeros = digits.length - significant.length - fraction.length + Number(power);
  if (zeros < 0 || significant.length + zeros > 19) return undefined;
  return BigInt(sign + significant + "0".repeat(zeros));
}
