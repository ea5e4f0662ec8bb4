import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { makeFolder } from "../support/temporary-folder.js";
import { needTools } from "../support/tool.js";

const DEPLOY = join(import.meta.dirname, "../../../deploy");

const ENDS = [".socket", "-admin.socket", "-backup.service", "-backup.timer"];
const OTHERS = ENDS.map((end) => `petstore${end}`);

/** The greatest exposure, in tenths; the scale ends at 100. The unit has 14, and systemd calls less than 50 OK. */
const EXPOSURE_THRESHOLD = "20";

describe("deploy/petstore.service", () => {
  let folder: string;
  let unit: string;

  needTools("deploy/petstore.service", "systemd-analyze");
  before(() => {
    folder = makeFolder();
    unit = join(folder, "petstore.service");
    // The programs that the unit names are not installed on a machine that runs tests.
    const text = readFileSync(join(DEPLOY, "petstore.service"), "utf8");
    const program = join(folder, "petstore");
    mkdirSync(folder, { recursive: true });
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(unit, text.replace("/opt/petstore/current/bin/petstore", program));
    for (const file of ["petstore.env", ...OTHERS]) copyFileSync(join(DEPLOY, file), join(folder, file));
  });

  it("is a unit without a fault, and so are its sockets and its backup", () => {
    const units = [unit, ...OTHERS.map((socket) => join(folder, socket))];
    const verify = ["verify", ...units];
    const { status, stdout, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
    expect(stdout + stderr).to.equal("");
    expect(status).to.equal(0);
  });

  it("takes rights away that the program does not need", () => {
    const options = ["security", "--offline=true", "--no-pager", `--threshold=${EXPOSURE_THRESHOLD}`];
    const { status, stdout } = spawnSync("systemd-analyze", [...options, unit], { encoding: "utf8" });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/Overall exposure level for petstore\.service: [\d.]+ OK/);
  });
});
