import { expect } from "chai";
import * as v from "valibot";
import { readMembers } from "../../../../src/adapters/http/schemas/read.js";

describe("A body whose members may all be left out", () => {
  const schema = v.object({
    name: v.optional(v.string()),
    age: v.nullish(v.pipe(v.number(), v.maxValue(9))),
  });
  const read = (...members: [string, unknown][]) => readMembers(schema, new Map(members), true);

  it("is read without them", () => {
    expect(read()).to.deep.equal({});
  });

  it("has a sentence for each fault, which does not repeat what was sent, though the schema has no words", () => {
    expect(() => read(["name", 4711])).to.throw(/^name must be string\.$/);
    expect(() => read(["age", 4711])).to.throw(/^age must be <=9\.$/);
  });
});
