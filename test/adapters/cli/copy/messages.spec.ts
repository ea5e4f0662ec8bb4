import { expect } from "chai";
import { differenceTexts } from "../../../../src/adapters/cli/copy/messages.js";

describe("differenceTexts", () => {
  const SAME = {
    verified: 9,
    onBoth: 9,
    missing: 0,
    firstMissing: undefined,
    different: 0,
    differences: [],
    since: 0,
  };

  it("has nothing to say of two catalogues that are the same", () => {
    expect(differenceTexts({ ...SAME, idsBehind: false })).to.deep.equal([]);
  });

  it("names each kind of difference, and counts what it does not name", () => {
    const found = {
      ...SAME,
      missing: 3,
      firstMissing: 9n,
      different: 7,
      differences: [
        { id: 1n, in: "name" },
        { id: 2n, in: "target" },
        { id: 3n, in: "record" },
        { id: 4n, in: "record.key" },
      ],
      idsBehind: true,
    } as const;
    expect(differenceTexts(found)).to.deep.equal([
      "pet 1 differs in its name",
      "pet 2 is in TO and not in FROM",
      "pet 3 differs in its idempotency record",
      "pet 4 differs in its idempotency record (key)",
      "3 more pets differ",
      "pet 9 is in FROM and missing in TO, and so are 2 others",
      "TO may give ids again that FROM has given",
    ]);
  });
});
