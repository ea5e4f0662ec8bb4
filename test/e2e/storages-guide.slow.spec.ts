import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { freePort } from "../support/free-port.js";
import { packPetstore } from "../support/pack.js";
import { makeFolder } from "../support/temporary-folder.js";
import { needTools } from "../support/tool.js";

const GUIDE = readFileSync("docs/storages.md", "utf8");

/** Commands to paste, and their output, which is empty if the guide shows none. */
const STEPS = [...GUIDE.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
  ([, command = "", shown = ""]) => ({ command, shown }),
);

/** How long a step may take, in milliseconds. */
const PATIENCE = 300_000;

/** One shell for all steps, as a reader has it: a step can use the variables that earlier ones export. */
class Shell {
  private readonly child: ChildProcess;
  private printed = "";
  complained = "";

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn("bash", ["-s"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdout?.setEncoding("utf8").on("data", (text) => (this.printed += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text) => (this.complained += text));
  }

  /** Runs commands, and gives their standard output. */
  async run(commands: string): Promise<string> {
    this.printed = "";
    this.child.stdin?.write(`${commands}\necho "<end>"\n`);
    for (const begun = Date.now(); !this.printed.endsWith("<end>\n"); ) {
      if (Date.now() - begun > PATIENCE) throw new Error(`No end of:\n${commands}\n${this.complained}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.printed.slice(0, -"<end>\n".length);
  }

  async end(): Promise<void> {
    this.child.stdin?.end("kill $(jobs -p)\n");
    await once(this.child, "close");
  }
}

/** In the guide's outputs … stands for the rest of a line, and alone on a line for any number of lines. */
function patternOf(shown: string): RegExp {
  const lines = shown.split("\n").map((line) => (line === "…" ? "(?:.*\n)*?" : `${escaped(line)}\n`));
  return new RegExp(`^${lines.join("").replace(/\n$/, "")}$`);
}

function escaped(line: string): string {
  return line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
}

describe("docs/storages.md", () => {
  let folder: string;
  let temporary: string;
  let shell: Shell;
  let port: string;

  needTools("the steps of docs/storages.md", "bash", "curl");
  before(async () => {
    folder = makeFolder();
    temporary = makeFolder();
    const clone = join(folder, "petstore");
    mkdirSync(clone);
    await packPetstore(clone);
    port = String(await freePort());
    const { PATH, HOME } = process.env;
    const ports = { PETSTORE_PORT: port, PETSTORE_ADMIN_PORT: String(await freePort()) };
    const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
    shell = new Shell(folder, { PATH, HOME, TMPDIR: temporary, ...ports, ...npm });
  });
  after(() => shell?.end());

  it("has the steps from an empty folder to a service", () => {
    expect(STEPS).to.have.length(7);
    expect(GUIDE.match(/^```sh$/gm)).to.have.length(STEPS.length);
  });

  for (const { command, shown } of STEPS) {
    const [title = ""] = command.split("\n");
    it(`shows the output of: ${title}`, async () => {
      const printed = await shell.run(command.replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`));
      expect(printed, shell.complained).to.match(patternOf(shown));
      const held = /^(\d+) held/m.exec(printed)?.[1];
      if (held) expect(Number(held)).to.be.above(5);
    });
  }

  it("leaves no temporary files behind", () => {
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
