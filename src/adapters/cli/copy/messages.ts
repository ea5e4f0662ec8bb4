import type { Difference } from "../../../application/copying/difference.js";
import type { Verification } from "../../../application/verify-copy.js";

export const KEYS_REMINDER =
  "The API keys are not in the storage: if the service moves to another machine, move the keys file (PETSTORE_KEYS_FILE), too. Otherwise no client gets in, and " +
  "no repeated create is recognised, since the record of an idempotency key holds the API key's id.";

/** The remedy for a copy that ended early. */
export const GO_ON = "Run the same command again: it goes on with the pets that are there.";

export function refusalText(difference: Difference): string {
  return (
    "TO must be empty, or hold nothing but pets of FROM as they are there; " +
    `${differenceText(difference)}. Nothing was changed.`
  );
}

export function conflictText(id: bigint): string {
  return (
    `TO has other content under the id of pet ${id}, or under the key of its record, which was not there at first: ` +
    "end the other program that writes to TO."
  );
}

export function differenceTexts(found: Verification): string[] {
  const { differences, different, missing, firstMissing, idsBehind } = found;
  const texts = differences.map(differenceText);
  if (different > differences.length) texts.push(`${different - differences.length} more pets differ`);
  if (firstMissing !== undefined) {
    const others = missing > 1 ? `, and so are ${missing - 1} others` : "";
    texts.push(`${differenceText({ id: firstMissing, in: "source" })}${others}`);
  }
  if (idsBehind) texts.push("TO may give ids again that FROM has given");
  return texts;
}

function differenceText({ id, in: where }: Difference): string {
  if (where === "source") return `pet ${id} is in FROM and missing in TO`;
  if (where === "target") return `pet ${id} is in TO and not in FROM`;
  if (!where.startsWith("record")) return `pet ${id} differs in its ${where}`;
  const part = where.slice("record.".length);
  return `pet ${id} differs in its idempotency record${part && ` (${part})`}`;
}
