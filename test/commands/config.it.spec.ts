import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { findSettings } from "../../src/commands/config.js";
import { makeFolder } from "../support/in-empty-folder.js";

/** An address that no machine has (RFC 5737). */
const FOREIGN = "192.0.2.1";

describe("petstore config", () => {
  const folder = makeFolder();
  const cut = join(folder, "cut.json");
  writeFileSync(cut, '{"version":1');

  for (const [what, env, faulty] of [
    ["nothing at a first start", { PETSTORE_KEYS_FILE: join(folder, "keys.json") }, []],
    ["a setting, beside others", { PETSTORE_PORT: "http", PETSTORE_GET_PET: "x" }, ["PORT", "GET_PET"]],
    ["a host that is not this machine's", { PETSTORE_HOST: FOREIGN }, ["HOST"]],
    ["such a host of the admin port", { PETSTORE_ADMIN_HOST: FOREIGN }, ["ADMIN_HOST"]],
    ["a corrupt keys file", { PETSTORE_KEYS_FILE: cut }, ["KEYS_FILE"]],
    ["a keys file that cannot be made", { PETSTORE_KEYS_FILE: `${cut}/keys.json` }, ["KEYS_FILE"]],
    ["two equal ports", { PETSTORE_PORT: "4000", PETSTORE_ADMIN_PORT: "4000" }, ["ADMIN_PORT"]],
    [
      "equal ports where one host stands for all",
      { PETSTORE_PORT: "4000", PETSTORE_ADMIN_PORT: "4000", PETSTORE_HOST: "0.0.0.0" },
      ["ADMIN_PORT"],
    ],
    ["no setting that it does not know", { PETSTORE_PROT_HOST: FOREIGN }, []],
  ] as const) {
    it(`finds ${what}`, async () => {
      const settings = await findSettings({ PETSTORE_KEYS_FILE: "/no/keys.json", ...env });
      const found = settings.filter(({ fault }) => fault !== null).map(({ name }) => name.slice(9));
      expect(found).to.deep.equal(faulty);
    });
  }
});
