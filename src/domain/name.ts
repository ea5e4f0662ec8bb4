/** The longest name, in Unicode code points. */
const MAX_LENGTH = 255;

/** The rule that a name breaks, to follow "must"; undefined if it breaks none. */
export function brokenNameRule(name: string): string | undefined {
  if (!/\P{White_Space}/u.test(name)) return "contain at least one character that is not white space";
  if ([...name].length > MAX_LENGTH) return `be at most ${MAX_LENGTH} characters (Unicode code points) long`;
  if (/\p{Cc}/u.test(name)) return "not contain control characters";
  if (!name.isWellFormed()) return "be well-formed Unicode, without lone surrogates";
  return undefined;
}
