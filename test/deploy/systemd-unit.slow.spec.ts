import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { makeFolder } from "../support/temporary-folder.js";
import { needTools } from "../support/tool.js";

const DEPLOY = join(import.meta.dirname, "../../../deploy");

const UNITS = [
  "petstore.service",
  "petstore@.service",
  "petstore.socket",
  "petstore-backup.service",
  "petstore-backup.timer",
];

/** The greatest exposure, in tenths; the scale ends at 100. The unit has 14, and systemd calls less than 50 OK. */
const EXPOSURE_THRESHOLD = "20";

describe("The units of deploy/", () => {
  let folder: string;

  needTools("the units of systemd", "systemd-analyze");
  before(() => {
    folder = makeFolder();
    // The programs that the units name are not installed on a machine that runs tests.
    const program = join(folder, "petstore");
    mkdirSync(folder, { recursive: true });
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    for (const unit of UNITS) {
      const text = readFileSync(join(DEPLOY, unit), "utf8");
      writeFileSync(join(folder, unit), text.replace(/\/usr\/s?bin\/petstore[\w-]*/, program));
    }
    for (const unit of ["petstore.service", "petstore@.service"]) {
      mkdirSync(join(folder, `${unit}.d`));
      copyFileSync(join(DEPLOY, "petstore-service.conf"), join(folder, `${unit}.d/00-petstore.conf`));
    }
  });

  it("have no fault", () => {
    const verify = ["verify", ...UNITS.map((unit) => join(folder, unit.replace("@.", "@2.")))];
    const { status, stdout, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
    expect(stdout + stderr).to.equal("");
    expect(status).to.equal(0);
  });

  for (const unit of ["petstore.service", "petstore@2.service"]) {
    it(`take rights away from ${unit} that the program does not need`, () => {
      const options = ["security", "--offline=true", "--no-pager", `--threshold=${EXPOSURE_THRESHOLD}`];
      const path = join(folder, unit);
      const { status, stdout } = spawnSync("systemd-analyze", [...options, path], { encoding: "utf8" });
      expect(status, stdout).to.equal(0);
      expect(stdout).to.match(/Overall exposure level for petstore\S*\.service: [\d.]+ OK/);
    });
  }
});
