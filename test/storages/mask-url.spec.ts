import { expect } from "chai";
import { hideSecrets } from "../../src/storages/mask-url.js";

describe("hideSecrets", () => {
  const hide = hideSecrets(undefined, "acme://user:p%40ss@host/pets");

  it("puts the masked form in place of the URL, and *** in place of its password, decoded or not", () => {
    expect(hide("no way to acme://user:p%40ss@host/pets")).to.equal("no way to acme://user:***@host/pets");
    expect(hide("at user:p%40ss@host, u:p@ss@host")).to.equal("at user:***@host, u:***@host");
    const hideWord = hideSecrets(undefined, "acme://user:on@host");
    expect(hideWord("connect user:on@db")).to.equal("connect user:***@db");
  });

  it("leaves other texts as they are, also if the URL has no password or a malformed one", () => {
    expect(hide("no pet")).to.equal("no pet");
    expect(hideSecrets(undefined, "sqlite:pets.db")("no pet")).to.equal("no pet");
    expect(hideSecrets(undefined, "acme://u:%zz@host")("bad u:%zz@h")).to.equal("bad u:***@h");
  });
});
