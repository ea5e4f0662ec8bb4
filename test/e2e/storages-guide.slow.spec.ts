import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { packPetstore } from "../support/pack.js";

const GUIDE = readFileSync("docs/storages.md", "utf8");

/** Commands to paste, and their output, which is empty if the guide shows none. */
const STEPS = [...GUIDE.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
  ([, command = "", shown = ""]) => ({ command, shown }),
);

/** One shell for all steps, as a reader has it: a step can use the variables that earlier ones export. */
class Shell {
  private readonly child: ChildProcess;
  private stdout = "";
  stderr = "";

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn("bash", ["-s"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdout?.setEncoding("utf8").on("data", (text) => (this.stdout += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text) => (this.stderr += text));
  }

  /** Runs commands, and gives their standard output. */
  async run(commands: string): Promise<string> {
    this.stdout = "";
    this.child.stdin?.write(`${commands}\necho "<end>"\n`);
    await until(() => this.stdout.endsWith("<end>\n"), 300_000);
    return this.stdout.slice(0, -"<end>\n".length);
  }

  async end(): Promise<void> {
    this.child.stdin?.end("kill $(jobs -p)\n");
    await once(this.child, "close");
  }
}

/** In the guide's outputs … stands for the rest of a line, and alone on a line for any number of lines. */
function patternOf(shown: string): RegExp {
  const escaped = (line: string) => line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
  const lines = shown.split("\n").map((line) => (line === "…" ? "(?:.*\n)*?" : `${escaped(line)}\n`));
  return new RegExp(`^${lines.join("").replace(/\n$/, "")}$`);
}

describe("docs/storages.md", () => {
  const temporary = makeFolder();
  let ports: readonly [port: string, adminPort: string];
  let shell: Shell;

  needTools("the steps of docs/storages.md", "bash", "curl");
  before(async () => {
    const folder = makeFolder();
    const tarball = await packPetstore(folder);
    mkdirSync(join(folder, "petstore"));
    copyFileSync(tarball, join(folder, "petstore", basename(tarball)));
    ports = [String(await freePort()), String(await freePort())];
    const { PATH, HOME } = process.env;
    const settings = { PETSTORE_PORT: ports[0], PETSTORE_ADMIN_PORT: ports[1] };
    const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
    shell = new Shell(folder, { PATH, HOME, TMPDIR: temporary, ...settings, ...npm });
  });
  after(() => shell?.end());

  it("has steps, each of which is tried here", () => {
    expect(STEPS).to.have.length.above(3);
    expect(GUIDE.match(/^```sh$/gm)).to.have.length(STEPS.length);
  });

  for (const { command, shown } of STEPS) {
    const [title = ""] = command.split("\n");
    it(`shows the output of: ${title}`, async () => {
      const here = command.replace(/127\.0\.0\.1:300([01])/g, (_, at) => `127.0.0.1:${ports[at]}`);
      expect(await shell.run(here), shell.stderr).to.match(patternOf(shown));
    }).timeout(300_000);
  }

  it("leaves no temporary files behind", () => {
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
