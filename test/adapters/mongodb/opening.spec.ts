import { expect } from "chai";
import { openMongodb } from "../../support/open-storages.js";

const USER = "somebody:n0t-t0-be-sh0wn";

describe("MongoDB", () => {
  for (const url of [
    `mongodb://${USER}@127.0.0.1:65536/petstore`,
    `mongodb://${USER}@127.0.0.1/petstore?nosuch=1`,
    `mongodb://${USER}%@127.0.0.1/petstore`,
    `mongodb://${USER}@127.0.0.1/petstore?tls=true&tls=false`,
  ]) {
    it(`is not opened by ${url}, and the message names the setting, but no password`, async () => {
      const error = await openMongodb(url).catch((error) => error);
      expect(error.constructor).to.equal(Error);
      expect(error.message).to.match(/^PETSTORE_STORAGE is not a MongoDB URL that the driver takes: ./);
      expect(error.message).to.not.include("n0t");
    });
  }
});
