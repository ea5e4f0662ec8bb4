import { expect } from "chai";
import { get } from "../../../support/client.js";
import { useApp } from "../../../support/use-app.js";

describe("limitLoad", () => {
  const app = useApp({ limits: { inFlight: 1 } });

  it("gives a place to the next request after each answer", async () => {
    for (const status of [200, 404, 200]) {
      expect((await get(app(), status === 404 ? "/v1/pets/9" : "/v1/pets")).status).to.equal(status);
    }
  });
});
