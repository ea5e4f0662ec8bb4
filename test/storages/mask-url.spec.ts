import { expect } from "chai";
import { hideSecrets, maskUrl } from "../../src/storages/mask-url.js";

describe("maskUrl", () => {
  it("shows nothing of a URL whose adapter fails to mask it", () => {
    const fails = () => {
      throw new Error("no mask");
    };
    for (const mask of [fails, () => 5]) {
      expect(maskUrl({ mask } as never, "acme://user:s3cret@host")).to.equal("***");
    }
  });
});

describe("hideSecrets", () => {
  const url = "acme://user:p%40ss@host/pets";
  const masked = "acme://user:***@host/pets";
  const hide = (text: string) => hideSecrets(text, url, masked);

  it("puts the masked form in place of the URL, and *** in place of its password, decoded or not", () => {
    expect(hide(`cannot reach ${url}`)).to.equal(`cannot reach ${masked}`);
    expect(hide("at user:p%40ss@host, u:p@ss@host")).to.equal("at user:***@host, u:***@host");
    expect(hideSecrets("connect user:on@db", "acme://user:on@host", masked)).to.equal("connect user:***@db");
  });

  it("leaves other texts as they are, also if the URL has no password or a malformed one", () => {
    expect(hide("no pet")).to.equal("no pet");
    expect(hideSecrets("no pet", "sqlite:pets.db", "sqlite:pets.db")).to.equal("no pet");
    expect(hideSecrets("bad u:%zz@h", "acme://u:%zz@host", "acme://u:***@host")).to.equal("bad u:***@h");
  });
});
