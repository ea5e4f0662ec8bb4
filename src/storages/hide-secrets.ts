import { maskPassword } from "../application/ports/mask-url.js";

const MASK = "***";

/**
 * Makes an error fit for people and logs: in its messages, and in those of its causes, the masked form of the URL stands
 * in place of the URL, and `***` in place of each secret of the URL. An adapter from outside may repeat any of them.
 * `open-storage.ts` passes all errors of a storage through this function. The log leaves out the members that a driver
 * adds to an error (`error-serializer.ts`).
 */
export function hideSecrets(error: unknown, url: string, masked: string): unknown {
  const secrets = [masked, maskPassword(url)].flatMap((form) => hiddenBy(form, url));
  const spellings = secrets.flatMap((secret) => [secret, decoded(secret), encodeURIComponent(secret)]);
  // The longest first: one may be a part of another.
  const longestFirst = [...new Set(spellings)].filter(Boolean).sort((a, b) => b.length - a.length);
  const hide = (text: string) =>
    longestFirst.reduce((shown, secret) => shown.replaceAll(secret, MASK), text.replaceAll(url, masked));
  return rewritten(error, hide, new Set());
}

/** The parts of a URL in place of which its masked form has `***`. */
function hiddenBy(masked: string, url: string): string[] {
  const seen = masked.split(MASK).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${seen.join("(.*)")}$`, "s").exec(url)?.slice(1) ?? [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function rewritten(error: unknown, hide: (text: string) => string, known: Set<unknown>): unknown {
  if (typeof error === "string") return hide(error);
  if (!(error instanceof Error) || known.has(error)) return error;
  known.add(error);
  const { message, stack } = error;
  const shown: PropertyDescriptorMap = { message: hidden(hide(String(message))) };
  if (stack !== undefined) shown.stack = hidden(hide(String(stack)));
  if ("cause" in error) shown.cause = hidden(rewritten(error.cause, hide, known));
  try {
    return Object.defineProperties(error, shown);
  } catch {
    // The error is frozen. A copy keeps its class and its members, among them the code.
    const copy = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error));
    return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(error), ...shown });
  }
}

function hidden(value: unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true, enumerable: false };
}
