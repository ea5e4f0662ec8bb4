import { expect } from "chai";
import { PetstoreError } from "../../src/domain/errors.js";
import { INT64_MAX, INT64_MIN, newPet, PET_STATUSES, type PetDraft } from "../../src/domain/pet.js";

const draft = (parts: Partial<PetDraft> = {}): PetDraft => ({ name: "Rex", categoryId: 1n, ...parts });

function rejection(parts: Partial<PetDraft>): string | undefined {
  try {
    newPet(draft(parts));
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError && error.code === "invalid_field") return error.message;
    throw error;
  }
}

describe("newPet", () => {
  it("copies the members of a pet, and no others", () => {
    const sent = { name: " Rex ", categoryId: -5n, status: "sold", id: 99n, owner: "me" } as const;
    expect(newPet(sent)).to.deep.equal({ name: " Rex ", categoryId: -5n, status: "sold" });
  });

  it("defaults to the status available", () => {
    expect(newPet(draft()).status).to.equal("available");
    expect(newPet(draft({ status: undefined })).status).to.equal("available");
  });

  describe("name", () => {
    for (const [what, name] of Object.entries({
      "one code point": "a",
      "characters next to those of control": "\u0020~\u00a0",
      "255 code points beyond the basic plane, 510 UTF-16 units": "🐾".repeat(255),
      "an emoji with a zero width joiner in it": "👩‍👧",
      "format characters alone, such as the byte order mark, which only JavaScript treats as white space":
        "\u200d\ufeff",
      "a letter with white space around it": "\u3000 a\u00a0",
      noncharacters: "\uffff\ufdd0\u{1fffe}",
    })) {
      it(`may be ${what}`, () => expect(newPet(draft({ name })).name).to.equal(name));
    }

    for (const [rule, names] of Object.entries({
      "white space": ["", " \u00a0\u1680\u2003\u2028\u3000"],
      "255 characters": [`${"🐾".repeat(255)}a`],
      "control characters": ["a\u0000", "a\n", "a\u001f", "a\u007f", "a\u0080", "a\u0085", "a\u009f"],
      surrogates: ["a\ud800", "a\ud83d", "\udc3ea", "\udfffa", "\udc3e\ud83d"],
    })) {
      it(`is rejected with its rule: ${rule}`, () => {
        for (const name of names) expect(rejection({ name }), JSON.stringify(name)).to.include(rule);
      });
    }
  });

  it("accepts any int64 as categoryId", () => {
    for (const categoryId of [INT64_MIN, -(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, INT64_MAX]) {
      expect(newPet(draft({ categoryId })).categoryId).to.equal(categoryId);
    }
    for (const categoryId of [INT64_MIN - 1n, INT64_MAX + 1n, 2n ** 64n, 10n ** 400n]) {
      expect(rejection({ categoryId })).to.match(/^categoryId .*integer/);
    }
  });

  it("accepts the statuses available, pending and sold, in this order", () => {
    expect(PET_STATUSES).to.deep.equal(["available", "pending", "sold"]);
    for (const status of PET_STATUSES) expect(newPet(draft({ status })).status).to.equal(status);
    for (const status of ["", "Available", "available ", "lost", "constructor", "__proto__", "0"]) {
      expect(rejection({ status: status as "sold" })).to.match(/^status .*available, pending, sold/);
    }
  });
});
