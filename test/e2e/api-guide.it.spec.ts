import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { useProgram } from "../support/in-empty-folder.js";
import { hasTool } from "../support/tool.js";

const GUIDE = readFileSync("docs/api.md", "utf8");

/** The program that runs an example of each language, and the text that it gets before the example. */
const RUNNERS: Readonly<Record<string, readonly [program: string, ...parameters: string[]]>> = {
  sh: ["bash", "-euc"],
  js: [process.execPath, "--input-type=module", "--eval"],
  python: ["python3", "-c"],
};

const EXAMPLES = [...GUIDE.matchAll(/^```(\w+)\n(.*?)^```\n+```text\n(.*?)^```$/gms)].map(
  ([, language = "", code = "", expected = ""]) => ({ language, code, expected }),
);

describe("docs/api.md", () => {
  const started = useProgram();

  it("has an example with its output in every fence, in three languages", () => {
    expect(2 * EXAMPLES.length).to.equal(GUIDE.match(/^```\w+$/gm)?.length);
    expect(new Set(EXAMPLES.map(({ language }) => language))).to.deep.equal(new Set(Object.keys(RUNNERS)));
  });

  for (const [index, { language, code, expected }] of EXAMPLES.entries()) {
    it(`example ${index + 1}, in ${language}, prints what the guide says`, function () {
      const { cwd, program } = started();
      const [runner = "", ...parameters] = RUNNERS[language] ?? [];
      if (!hasTool(runner, "examples of docs/api.md")) this.skip();
      const env = { ...process.env, API_KEY: program.firstKey, PYTHONIOENCODING: "utf8" };
      const here = code.replaceAll("http://127.0.0.1:3000", program.origin);
      const printed = execFileSync(runner, [...parameters, here], { cwd, env, encoding: "utf8" });
      expect(printed.replaceAll("\r\n", "\n").trimEnd()).to.equal(expected.trimEnd());
    });
  }
});
