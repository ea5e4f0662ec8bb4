import { expect } from "chai";
import { pino } from "pino";
import { serializeError } from "../../../src/adapters/process/error-serializer.js";

describe("an error in the log", () => {
  function logged(err: unknown): string {
    let written = "";
    const write = (line: string) => (written += line);
    const serializers = { err: (error: unknown) => serializeError(error, (text) => text) };
    pino({ serializers }, { write }).error({ err }, "request failed");
    return written;
  }

  it("has its type, message, code and stack, and those of its causes", () => {
    const cause = Object.assign(new RangeError("the disk is full"), { code: "ENOSPC" });
    const { err } = JSON.parse(logged(Object.assign(new Error("not stored", { cause }), { code: "EIO" })));
    expect(err).to.include({ type: "Error", message: "not stored: the disk is full", code: "EIO" });
    expect(err.stack).to.match(/^Error: not stored\n +at .*caused by: RangeError: the disk is full\n +at /s);
  });

  it("leaves out the members that a driver adds, since they may hold a client's data", () => {
    const line = logged(Object.assign(new Error("refused"), { document: { name: "Rex" } }));
    expect(line).to.include("refused").and.not.include("Rex");
  });

  for (const character of ["x", '"', "\u0001", "é€", "\u{1f436}"]) {
    it(`fits into one write to a pipe, however many ${JSON.stringify(character)} it has`, () => {
      let err = new Error(character.repeat(10_000));
      for (let depth = 0; depth < 10; depth++) err = new Error(character.repeat(300), { cause: err });
      expect(Buffer.byteLength(logged(err))).to.be.within(1000, 4095);
      expect(Buffer.byteLength(logged(character.repeat(10_000)))).to.be.within(300, 4095);
    });
  }

  it("may be no error at all", () => {
    expect(JSON.parse(logged("thrown"))).to.include({ err: "thrown" });
  });
});
