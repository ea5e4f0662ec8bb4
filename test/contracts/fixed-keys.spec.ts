import { FixedKeys } from "../support/start-app.js";
import { keyVerifierContract } from "./key-verifier.contract.js";

describe("FixedKeys", () => {
  keyVerifierContract(async (...secrets) => {
    const verifier = new FixedKeys(...secrets);
    return { verifier, revoke: async (secret) => verifier.revoke(secret), close: () => {} };
  });
});
