import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { freePort } from "../support/free-port.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { packPetstore } from "../support/pack.js";

const GUIDE = readFileSync("docs/storages.md", "utf8");

/** Commands to paste, and their output, which is empty if the guide shows none. */
const STEPS = [...GUIDE.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
  ([, command = "", shown = ""]) => ({ command, shown }),
);

/** In the guide's outputs … stands for the rest of a line, and alone on a line for any number of lines. */
function patternOf(shown: string): RegExp {
  const escaped = (line: string) => line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
  const lines = shown.split("\n").map((line) => (line === "…" ? "(?:.*\n)*?" : `${escaped(line)}\n`));
  return new RegExp(`^${lines.join("").replace(/\n$/, "")}$`);
}

describe("docs/storages.md", () => {
  const temporary = makeFolder();
  /** The output of each step, and the standard error of all together. */
  let printed: string[];
  let stderr: string;

  needTools("the steps of docs/storages.md", "bash", "curl");
  before(async () => {
    const folder = makeFolder();
    const tarball = await packPetstore(folder);
    cpSync(tarball, join(folder, "petstore", basename(tarball)));
    const ports = [String(await freePort()), String(await freePort())];
    const { PATH, HOME } = process.env;
    const settings = { PETSTORE_PORT: ports[0], PETSTORE_ADMIN_PORT: ports[1] };
    const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
    // All steps run in one shell: a step may use the variables that earlier steps export.
    const script = STEPS.map(({ command }) => `${command}\necho "<end>"\n`)
      .join("")
      .replace(/127\.0\.0\.1:300([01])/g, (_, at) => `127.0.0.1:${ports[at]}`);
    const env = { PATH, HOME, TMPDIR: temporary, ...settings, ...npm };
    const output = await promisify(execFile)("bash", ["-c", script], { cwd: folder, env });
    printed = output.stdout.split("<end>\n");
    stderr = output.stderr;
  });

  it("contains steps, each of which is run here", () => {
    expect(STEPS).to.have.length.above(3);
    expect(GUIDE.match(/^```sh$/gm)).to.have.length(STEPS.length);
  });

  for (const [index, { command, shown }] of STEPS.entries()) {
    const [title = ""] = command.split("\n");
    it(`shows the output of: ${title}`, () => {
      expect(printed[index], stderr).to.match(patternOf(shown));
    });
  }

  it("leaves no temporary files behind", () => {
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
