import { expect } from "chai";
import {
  isPetstoreError,
  isStorageUnavailable,
  PetstoreError,
  storageUnavailable,
} from "../../src/domain/errors.js";

describe("isPetstoreError", () => {
  it("recognises an error of another copy of the package", async () => {
    const path = "../../src/domain/errors.js?another-copy";
    const copy: typeof import("../../src/domain/errors.js") = await import(path);
    const error = copy.storageUnavailable("down");
    expect(error).to.not.be.instanceOf(PetstoreError);
    expect([isPetstoreError(error), isStorageUnavailable(error)]).to.deep.equal([true, true]);
  });

  it("recognises nothing else", () => {
    expect(isStorageUnavailable(new PetstoreError("pet_not_found", "There is no such pet."))).to.equal(false);
    for (const error of [new Error("down"), { code: "storage_unavailable" }, undefined, "down"]) {
      expect([isPetstoreError(error), isStorageUnavailable(error)]).to.deep.equal([false, false]);
    }
  });
});

it("The error of a storage keeps its cause for the log, and hides it from the client", () => {
  const cause = new Error("disk I/O error at /secret/path");
  const error = storageUnavailable(cause);
  expect(error.cause).to.equal(cause);
  expect(error.message).to.not.include("secret");
});
