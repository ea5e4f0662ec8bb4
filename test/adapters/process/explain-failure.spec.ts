import { expect } from "chai";
import { explainFailure } from "../../../src/adapters/process/explain-failure.js";
import { SettingsError } from "../../../src/settings/settings-error.js";

describe("explainFailure", () => {
  it("says what a foreseen error says, with its cause if the message lacks that", () => {
    const rule = "PETSTORE_PORT must be a port";
    expect(explainFailure(new SettingsError(rule))).to.equal(rule);
    const cause = new Error("EACCES");
    expect(explainFailure(new Error("cannot listen", { cause }))).to.equal("cannot listen (EACCES)");
    expect(explainFailure(new Error("cannot listen: EACCES", { cause }))).to.equal("cannot listen: EACCES");
  });

  it("shows where an error comes from that nobody foresaw", () => {
    expect(explainFailure(new TypeError("no function"))).to.match(/^TypeError: no function\n +at .*spec/);
  });
});
