import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describeSettings } from "../../src/settings.js";
import { useProgram } from "../support/in-empty-folder.js";
import { hasTool } from "../support/left-out.js";

const README = readFileSync("README.md", "utf8");
const PACKAGE = JSON.parse(readFileSync("package.json", "utf8"));

/** The fenced blocks, in order. Each ```sh holds commands to paste, and the ```text after it their output. */
const BLOCKS = [...README.matchAll(/^```(sh|text)\n(.*?)^```$/gms)].map(([, , text = ""]) => text);
const [start, test, printed = "", exportKey = "", ...transcript] = BLOCKS;

describe("README", () => {
  const started = useProgram();

  /** Returns the text with the ports and the key of the running program. */
  function here(text: string): string {
    const { origin, admin, firstKey } = started().program;
    return text
      .replaceAll("http://127.0.0.1:3000", origin)
      .replaceAll("http://127.0.0.1:3001", admin)
      .replaceAll("petstore_…", firstKey);
  }

  it("opens with the two commands", () => {
    expect([start, test]).to.deep.equal(["npm ci && npm start\n", "npm ci && npm test\n"]);
    // npm signals only the shell that it starts; without exec that shell would die and leave the service running.
    expect(PACKAGE.scripts.start).to.match(/exec node dist\/src\/main\.js serve$/);
  });

  it("shows the output of the first start", () => {
    expect(started().program.stdout).to.equal(here(printed));
  });

  it("shows the output of its commands, pasted one after the other", function () {
    if (!hasTool("curl", "the transcript of the README")) this.skip();
    const commands = transcript.filter((block) => block.startsWith("curl "));
    expect(commands).to.have.length(4);
    for (const command of commands) {
      const shown = execFileSync("sh", ["-c", here(exportKey + command)], {
        encoding: "utf8",
        stdio: "pipe",
      });
      expect(`${shown}\n`, command).to.equal(transcript[transcript.indexOf(command) + 1]);
    }
  });

  it("lists every setting in its table, and no other", () => {
    const inTable = Array.from(README.matchAll(/^\| `(PETSTORE_\w+)` \|/gm), ([, name]) => name);
    const settings = describeSettings({}, [], String);
    expect([...new Set(inTable)].sort()).to.deep.equal(settings.map(({ name }) => name).sort());
  });
});
