import type { Collection } from "mongodb";
import { CODE, DatabaseError, hasCode } from "../errors.js";
import type { CounterDocument } from "../pet-ids.js";

const MARK = { _id: "mark" };

/** Keeps the mark beside the counter of ids, so that the service needs no right to remove a document. */
export async function writeMark(
  counters: Collection<CounterDocument>,
  text: string | undefined,
): Promise<void> {
  const change = { $set: { text: text ?? null } };
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { matchedCount } = await counters.updateOne(MARK, change);
    if (matchedCount > 0 || text === undefined) return;
    try {
      await counters.insertOne({ ...MARK, text });
      return;
    } catch (error) {
      if (!hasCode(error, CODE.DuplicateKey)) throw error;
    }
  }
  throw new DatabaseError("the mark is written and removed again and again; what else writes to counters?");
}

export async function readMark(counters: Collection<CounterDocument>): Promise<string | undefined> {
  const mark = await counters.findOne(MARK);
  return typeof mark?.text === "string" ? mark.text : undefined;
}
