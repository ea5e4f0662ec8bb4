import { closeSync, fstatSync, openSync } from "node:fs";
import { expect } from "chai";
import { pino } from "pino";
import { isJournal, withPriorities } from "../../../src/adapters/process/journal.js";

describe("The journal", () => {
  it("is where JOURNAL_STREAM names the device and inode of a descriptor", () => {
    const descriptor = openSync("package.json", "r");
    const { dev, ino } = fstatSync(descriptor);
    expect(isJournal(descriptor, { JOURNAL_STREAM: `${dev}:${ino}` })).to.equal(true);
    expect(isJournal(descriptor, { JOURNAL_STREAM: `${dev}:${ino + 1}` })).to.equal(false);
    expect(isJournal(descriptor, {})).to.equal(false);
    closeSync(descriptor);
  });

  it("gets the priority of each line in front of it", () => {
    const lines: string[] = [];
    const log = pino({ level: "trace" }, withPriorities({ write: (line) => lines.push(line) }));
    for (const level of ["trace", "debug", "info", "warn", "error", "fatal"] as const) log[level](level);
    expect(lines.map((line) => /^<(\d)>\{.*"msg":"(\w+)"\}\n$/.exec(line)?.slice(1).join(" "))).to.deep.equal(
      ["7 trace", "7 debug", "6 info", "4 warn", "3 error", "2 fatal"],
    );
  });
});
