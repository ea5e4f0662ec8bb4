import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** The sections of the tour, each with its file in the heading. */
const SECTIONS = readFileSync("docs/tour.md", "utf8").split(/^## /m).slice(1);

describe("The tour", () => {
  for (const section of SECTIONS) {
    const [, file = ""] = /^.*`(.+)`/.exec(section) ?? [];
    const quotes = [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
    for (const quote of quotes) {
      it(`quotes ${file}: ${quote.trim().split("\n")[0]}`, () => {
        expect(readFileSync(file, "utf8")).to.include(quote);
      });
    }
    const paths = [...section.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    for (const path of new Set(paths)) {
      it(`names ${path}, which exists`, () => expect(existsSync(path)).to.equal(true));
    }
  }

  it("quotes code", () => expect(SECTIONS.join()).to.include("```ts"));
});
