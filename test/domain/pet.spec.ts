import { expect } from "chai";
import fc from "fast-check";
import { PetstoreError } from "../../src/domain/errors.js";
import { LAST_ID } from "../../src/domain/id.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.js";
import { newPet, PET_STATUSES, type PetDraft } from "../../src/domain/pet.js";
import { anyCharacter } from "../support/any-character.js";

const draft = (parts: Partial<PetDraft> = {}): PetDraft => ({ name: "Rex", categoryId: 1n, ...parts });

/** The message that rejects a draft; undefined if the draft is accepted. */
function rejection(parts: Partial<PetDraft>): string | undefined {
  try {
    newPet(draft(parts));
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError && error.code === "invalid_field") return error.message;
    throw error;
  }
}

it("The last id is the last safe integer of JavaScript", () => {
  expect(LAST_ID).to.equal(BigInt(Number.MAX_SAFE_INTEGER));
});

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
    const ACCEPTED: Record<string, string> = {
      "one code point": "a",
      "255 code points beyond the basic plane, 510 UTF-16 units": "🐾".repeat(255),
      "an emoji with a zero width joiner in it": "👩‍👧",
      "nothing but format characters, which are not white space": "\u200d\u2060\ufeff",
      "a byte order mark, which only JavaScript treats as white space": "\ufeff",
      "a letter with white space around it": "\u3000 a ",
      noncharacters: "\uffff\ufdd0\u{1fffe}",
      "U+0020 and U+00A0 beside a letter, next to the control characters": " a\u00a0",
      "a tilde, next to DEL": "~",
    };
    for (const [what, name] of Object.entries(ACCEPTED)) {
      it(`may be ${what}`, () => expect(newPet(draft({ name })).name).to.equal(name));
    }

    const EMPTY = "name must contain at least one character that is not white space.";
    const LONG = "name must be at most 255 characters (Unicode code points) long.";
    const CONTROL = "name must not contain control characters.";
    const SURROGATE = "name must be well-formed Unicode, without lone surrogates.";
    const REJECTED: Record<string, readonly [name: string, message: string]> = {
      "be empty": ["", EMPTY],
      "be white space of any kind": [" \u00a0\u1680\u2003\u2028\u3000", EMPTY],
      "have 255 code points beyond the basic plane, and one within it": [`${"🐾".repeat(255)}a`, LONG],
      "contain the first C0 character": ["a\u0000", CONTROL],
      "contain the last C0 character": ["a\u001f", CONTROL],
      "contain DEL": ["a\u007f", CONTROL],
      "contain the first C1 character": ["a\u0080", CONTROL],
      "contain the last C1 character": ["a\u009f", CONTROL],
      "contain a lone high surrogate": ["a\ud83d", SURROGATE],
      "contain a lone low surrogate": ["\udc3ea", SURROGATE],
      "contain surrogates in the wrong order": ["\udc3e\ud83d", SURROGATE],
    };
    for (const [what, [name, message]] of Object.entries(REJECTED)) {
      it(`must not ${what}`, () => expect(rejection({ name })).to.equal(message));
    }

    it("follows these rules for any text, and never repeats a long one", () => {
      // The same rules, implemented by code points, unlike the source.
      const control = (point: number) => point < 0x20 || (point >= 0x7f && point < 0xa0);
      const keepsRules = (name: string) => {
        const points = Array.from(name, (character) => character.codePointAt(0) as number);
        return (
          points.length <= 255 &&
          points.every((point) => !control(point) && !(point >= 0xd800 && point <= 0xdfff)) &&
          Array.from(name).some((character) => !/^\s$/.test(character) || character === "\ufeff")
        );
      };
      const awkward = fc.constantFrom(" ", "\ufeff", "\u3000", "\ud800", "\udfff", "\u0085", "\n", "🐾");
      const name = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(awkward, { maxLength: 6 }).map((units) => units.join("")),
        // Around the limit, in code points and in UTF-16 units.
        fc
          .tuple(fc.constantFrom("a", "🐾"), fc.integer({ min: 250, max: 260 }), awkward)
          .map(([unit, count, last]) => unit.repeat(count) + last),
      );
      fc.assert(
        fc.property(name, (name) => {
          const message = rejection({ name });
          const repeated = name.length > 20 && message?.includes(name);
          return (message === undefined) === keepsRules(name) && !repeated;
        }),
      );
    });
  });

  describe("categoryId", () => {
    const MESSAGE = "categoryId must be an integer from -2^63 to 2^63-1.";

    for (const categoryId of [INT64_MIN, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64_MAX]) {
      it(`may be ${categoryId}`, () => expect(newPet(draft({ categoryId })).categoryId).to.equal(categoryId));
    }
    for (const categoryId of [INT64_MIN - 1n, INT64_MAX + 1n, -(2n ** 64n), 2n ** 64n, 10n ** 400n]) {
      it(`must be an int64, not a number of ${categoryId.toString(2).length} bits`, () =>
        expect(rejection({ categoryId })).to.equal(MESSAGE));
    }
  });

  describe("status", () => {
    it("is one of available, pending and sold, in this order", () => {
      expect(PET_STATUSES).to.deep.equal(["available", "pending", "sold"]);
      for (const status of PET_STATUSES) expect(newPet(draft({ status })).status).to.equal(status);
    });

    for (const status of ["", "Available", "available ", "lost", "constructor", "__proto__", "0"]) {
      it(`must not be ${JSON.stringify(status)}`, () => {
        const message = "status must be one of available, pending, sold.";
        expect(rejection({ status: status as "sold" })).to.equal(message);
      });
    }
  });
});
