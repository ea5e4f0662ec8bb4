import { expect } from "chai";
import { post } from "../../../support/client.js";
import { buildApp } from "../../../support/start-app.js";

describe("Prefer", () => {
  const app = buildApp();
  for (const [header, isStrict] of Object.entries({
    "handling=strict": true,
    'Handling = "Strict"': true,
    "handling=strict ; x=1": true,
    "return=minimal, handling=strict": true,
    'foo="a, \\"b", handling=strict': true,
    "handling=strict, handling=lenient": true,
    "handling=lenient, handling=strict": false,
    "handling=strict/x": false,
    handling: false,
    xhandling: false,
    "respond-async; handling=strict": false,
    'foo="handling=strict"': false,
    'foo=", handling=strict': false,
    [`"${'\\\\"'.repeat(5000)}`]: false,
  })) {
    it(`asks ${isStrict ? "" : "not "}for strict handling: ${header.slice(0, 40)}`, async () => {
      const { status } = await post(app, '{"name":"Rex","categoryId":1,"x":1}', {
        headers: { Prefer: header },
      });
      expect(status).to.equal(isStrict ? 400 : 201);
    });
  }
});
