import { expect } from "chai";
import type { AcceptedKey, KeyVerifier } from "../../src/application/ports/key-verifier.js";

interface KeysUnderTest {
  readonly verifier: KeyVerifier;
  /** Revokes a key; resolves once the revocation is in force. */
  revoke(secret: string): Promise<void>;
  close(): void;
}

/** Registers the tests of every KeyVerifier. `start` gets the secrets that it must accept. */
export function keyVerifierContract(start: (...secrets: string[]) => Promise<KeysUnderTest>): void {
  describe("keeps the contract of KeyVerifier", () => {
    const [FIRST, SECOND, THIRD] = ["petstore_first", "petstore_second", "petstore_third-~+/.="];
    let keys: KeysUnderTest;

    beforeEach(async () => {
      keys = await start(FIRST, SECOND, THIRD);
    });
    afterEach(() => keys.close());

    it("knows each key, and distinguishes them", () => {
      const accepted = [FIRST, SECOND, THIRD].map((secret) => keys.verifier.verify(secret) as AcceptedKey);
      for (const { name, id } of accepted) {
        expect(name).to.match(/./);
        expect(id).to.match(/^[!-~]+$/);
      }
      expect(new Set(accepted.map(({ id }) => id)).size).to.equal(3);
      expect(keys.verifier.verify(FIRST)?.id).to.equal(accepted[0]?.id);
    });

    it("knows no other text as a key", () => {
      const near = [
        FIRST.slice(0, -1),
        `${FIRST}a`,
        ` ${FIRST}`,
        `${FIRST} `,
        FIRST.toUpperCase(),
        `${FIRST}\0`,
      ];
      const odd = ["", " ", "=", "ключ", "\ud83d", "__proto__", "constructor", "a".repeat(100_000)];
      for (const secret of [...near, ...odd]) expect(keys.verifier.verify(secret)).to.equal(undefined);
    });

    it("still accepts a key that it gave, and no object that only looks like one", () => {
      const key = keys.verifier.verify(FIRST) as AcceptedKey;
      expect(keys.verifier.stillAccepts(key)).to.equal(true);
      expect(keys.verifier.stillAccepts({ name: "nobody", id: "nobody" })).to.equal(false);
    });

    it("no longer accepts a revoked key, and accepts the others as before", async () => {
      const [first, second] = [keys.verifier.verify(FIRST), keys.verifier.verify(SECOND)] as AcceptedKey[];
      await keys.revoke(FIRST);
      expect(keys.verifier.verify(FIRST)).to.equal(undefined);
      expect(keys.verifier.stillAccepts(first as AcceptedKey)).to.equal(false);
      expect(keys.verifier.verify(SECOND)?.id).to.equal(second?.id);
    });
  });
}
