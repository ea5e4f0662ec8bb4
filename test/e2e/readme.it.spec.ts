import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describeSettings } from "../../src/settings/describe-settings.js";
import { BUILT_IN_STORAGES } from "../../src/storages/built-in.js";
import { useProgram } from "../support/in-empty-folder.js";
import { hasTool } from "../support/tool.js";

// Mocha runs in the project's own folder, as npm starts it there.
const README = readFileSync("README.md", "utf8");
const PACKAGE = JSON.parse(readFileSync("package.json", "utf8"));

/** The fenced blocks, in order: each ```sh has commands to paste, and the ```text after it their output. */
const BLOCKS = [...README.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));

const [start, test, printed, exportKey, ...transcript] = BLOCKS;
const COMMANDS = transcript.filter(({ language }) => language === "sh");

/** Replaces the date and the id of an answer, which always differ. The rest must be equal letter for letter. */
function normalise(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/^Date: .* GMT$/m, "Date: …")
    .replace(/^X-Request-Id: [\da-f-]{36}$/m, "X-Request-Id: …");
}

describe("README", () => {
  const started = useProgram();

  /** Puts the port and the key of the running program into the README's text. */
  function here(text: string): string {
    const { origin, admin, firstKey } = started().program;
    return text
      .replaceAll("http://127.0.0.1:3000", origin)
      .replaceAll("http://127.0.0.1:3001", admin)
      .replaceAll("petstore_…", firstKey);
  }

  it("opens with the two commands, whose scripts the tests run as well", () => {
    expect(start?.text).to.equal("npm ci && npm start\n");
    expect(test?.text).to.equal("npm ci && npm test\n");
    // In one script, since `ignore-scripts` leaves out a `prestart`. With exec: npm signals only the shell that it starts,
    // which would end and leave the service running.
    expect(PACKAGE.scripts.start).to.equal("npm run --silent build && exec node dist/src/main.js serve");
  });

  it("shows the output of the first start", () => {
    expect(started().program.stdout).to.equal(here(printed?.text ?? ""));
  });

  it("shows the output of its commands, pasted one after the other", function () {
    if (!hasTool("curl", "the transcript of the README")) this.skip();
    expect(exportKey?.text).to.equal("export API_KEY=petstore_…\n");
    expect(COMMANDS.map(({ text }) => /^curl /.test(text))).to.deep.equal(Array(7).fill(true));
    expect(transcript.map(({ language }) => language)).to.deep.equal(Array(7).fill(["sh", "text"]).flat());
    for (const [index, { text: command }] of COMMANDS.entries()) {
      const expected = transcript[2 * index + 1]?.text ?? "";
      const pasted = here(exportKey?.text + command);
      const shown = execFileSync("sh", ["-c", pasted], { encoding: "utf8", stdio: "pipe" });
      expect(`${normalise(shown)}\n`, command).to.equal(normalise(expected));
    }
  });

  it("has in its tables every setting that petstore config shows, and no other", () => {
    const inTables = new Set(Array.from(README.matchAll(/^\| `(PETSTORE_\w+)` \|/gm), ([, name]) => name));
    expect([...inTables]).to.have.members(describeSettings({}, BUILT_IN_STORAGES).map(({ name }) => name));
  });
});
