import { keyVerifierContract } from "../contracts/key-verifier.contract.js";
import { FixedKeys } from "./start-app.js";

describe("FixedKeys", () => {
  keyVerifierContract(async (...secrets) => {
    const verifier = new FixedKeys(...secrets);
    return { verifier, revoke: async (secret) => verifier.revoke(secret), close: () => {} };
  });
});
