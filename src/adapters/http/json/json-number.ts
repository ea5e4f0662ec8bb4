import { isInt64 } from "../../../domain/pet.js";

/** A JSON number as text, since a double could lose digits. */
export class JsonNumber {
  constructor(readonly text: string) {}

  /** Exact: `5.0`, `5e0` and `-0` are integers. Undefined for a fraction, and beyond an int64. */
  toInt64(): bigint | undefined {
    const [, whole = "", fraction = "", power = "0"] =
      /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(this.text) ?? [];
    const digits = BigInt(whole + fraction);
    const shift = Number(power) - fraction.length;
    if (digits === 0n) return 0n;
    // A shift beyond the digits, or beyond an int64, need not be computed.
    if (shift < -this.text.length || shift > 18) return undefined;
    const scale = 10n ** BigInt(Math.abs(shift));
    const integer = shift < 0 ? digits / scale : digits * scale;
    return isInt64(integer) && (shift >= 0 || integer * scale === digits) ? integer : undefined;
  }
}
