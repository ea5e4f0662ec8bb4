import { expect } from "chai";
import mongodb from "../../../src/adapters/mongodb/mongodb-adapter.js";

const USER = "somebody:secret";

/** URLs, each with a part of its message if it is invalid. */
const URLS: Readonly<Record<string, string | undefined>> = {
  "mongodb://localhost": undefined,
  [`mongodb://${USER}@a.example:27017,b.example,[::1]:27018/pets_1?authSource=admin&tls=true`]: undefined,
  [`mongodb+srv://${USER}@cluster.example.org/petstore?appName=pets`]: undefined,
  "mongodb://127.0.0.1/petstore?w=0&readPreference=nearest&readConcernLevel=local&useBigInt64=true":
    undefined,
  [`mongodb://${USER}/1@127.0.0.1/petstore`]: "every special character as %XX",
  [`mongodb://${USER}@127.0.0.1/pet.store`]: "must be mongodb://HOST/DATABASE",
  "mongodb://127.0.0.1/petstore#x": "must be mongodb://HOST/DATABASE",
  [`mongodb+srv://${USER}@127.0.0.1:27017/petstore`]: "cannot have port number",
  [`mongodb://${USER}@127.0.0.1/petstore?nosuch=1`]: "nosuch",
  [`mongodb://${USER}@127.0.0.1/petstore?maxStalenessSeconds=120`]: "maxStalenessSeconds",
};

describe("The storage of MongoDB", () => {
  for (const [url, fault] of Object.entries(URLS)) {
    it(`${fault ? "refuses" : "accepts"} ${JSON.stringify(url)}`, () => {
      if (!fault) expect(mongodb.check(url)).to.equal(undefined);
      else expect(mongodb.check(url)).to.include(fault).and.not.include("secret");
    });
  }

  for (const [url, shown] of [
    ["mongodb://user:secret@one:1,two:2/pets?w=1", "mongodb://user:***@one:1,two:2/pets?w=1"],
    ["mongodb://h/?proxyPassword=secret&pasword=x&w=1", "mongodb://h/?proxyPassword=***&pasword=***&w=1"],
    ["mongodb://h/?authMechanismProperties=AWS_TOKEN:secret", "mongodb://h/?authMechanismProperties=***"],
    ["mongodb://h/?tls=true&password=a?b=c&w=1", "mongodb://h/?tls=true&password=***&w=1"],
  ] as const) {
    it(`shows ${url} as ${shown}`, () => expect(mongodb.mask?.(url)).to.equal(shown));
  }

  it("masks a URL in linear time", () => {
    const url = `mongodb://h/?${"pass_".repeat(1_000_000)}`;
    expect(mongodb.mask?.(url)).to.equal(url);
  });
});
