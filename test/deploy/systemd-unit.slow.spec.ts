import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { makeFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";

const SERVICES = ["petstore.service", "petstore@.service"];
const UNITS = readdirSync("deploy").filter((name) => /\.(service|socket|timer)$/.test(name));

describe("The units of deploy/", () => {
  const folder = makeFolder();
  const path = (unit: string) => join(folder, unit.replace("@.", "@2."));
  const analyze = (...args: string[]) => spawnSync("systemd-analyze", args, { encoding: "utf8" });

  needTools("the units of systemd", "systemd-analyze");
  before(() => {
    const shared = readFileSync("deploy/petstore-service.conf", "utf8");
    for (const unit of UNITS) {
      const text = readFileSync(join("deploy", unit), "utf8") + (SERVICES.includes(unit) ? shared : "");
      // The programs of the units are not installed here.
      writeFileSync(join(folder, unit), text.replace(/\/usr\/s?bin\/petstore[\w-]*/, "/bin/true"));
    }
  });

  it("are valid", () => {
    const { status, stdout, stderr } = analyze("verify", ...UNITS.map(path));
    expect(stdout + stderr).to.equal("");
    expect(status).to.equal(0);
  });

  for (const unit of SERVICES) {
    it(`grant ${unit} no privilege that it does not need, and need no user namespaces`, () => {
      // The exposure level is 1.6, here in tenths; systemd calls less than 5 OK.
      const { status, stdout } = analyze(
        "security",
        "--offline=true",
        "--no-pager",
        "--threshold=20",
        path(unit),
      );
      expect(status, stdout).to.equal(0);
      // Hardened kernels allow no user namespaces (user.max_user_namespaces=0), and the start would end with 217/USER.
      expect(stdout).to.match(/✗ PrivateUsers=/);
    });
  }
});
