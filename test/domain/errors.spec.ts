import { expect } from "chai";
import { PetstoreError, storageUnavailable } from "../../src/domain/errors.js";

describe("storageUnavailable", () => {
  it("keeps the cause for the log, and tells the client nothing of it", () => {
    const cause = new Error("disk I/O error at /secret/path");
    const error = storageUnavailable(cause);
    expect(error).to.be.instanceOf(PetstoreError);
    expect(error.code).to.equal("storage_unavailable");
    expect(error.cause).to.equal(cause);
    expect(error.message).to.equal("The storage cannot be used now; try again later.");
  });
});
