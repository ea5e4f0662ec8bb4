/** A JSON number as text, since a double could lose digits. */
export class JsonNumber {
  constructor(readonly text: string) {}

  /** Exact: `5.0`, `5e0` and `-0` are integers. Undefined for a fraction, and beyond the 19 digits of an int64. */
  toInteger(): bigint | undefined {
    const [, sign, whole = "", fraction = "", power = "0"] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(this.text) ?? [];
    const digits = (whole + fraction).replace(/^0+/, "");
    if (digits === "") return 0n;
    // A regular expression for trailing zeros would take quadratic time.
    let end = digits.length;
    while (digits[end - 1] === "0") end--;
    const zeros = digits.length - end - fraction.length + Number(power);
    if (zeros < 0 || end + zeros > 19) return undefined;
    return BigInt(sign + digits.slice(0, end) + "0".repeat(zeros));
  }
}
