import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** The stops of the tour: the part of the page below each heading. */
const STOPS = readFileSync("docs/tour.md", "utf8").split(/^##+ /m).slice(1);

/** The text of the files that a stop names. */
const linked = (stop: string) =>
  [...stop.matchAll(/`((?:src|test)\/[^`]+\.ts)`/g)].map(([, path = ""]) => readFileSync(path, "utf8"));

const withoutCode = (stop: string) => stop.replace(/^```.*?^```$/gms, "");

describe("The tour", () => {
  it("quotes lines that stand in the linked files, in their order", () => {
    let quotes = 0;
    for (const stop of STOPS) {
      for (const [, quote = ""] of stop.matchAll(/^```ts\n(.*?)\n```$/gms)) {
        const parts = quote.split(/^ *…\n/m).map((part) => part.trimEnd());
        const stands = linked(stop).some((text) => {
          const places = parts.map((part) => text.indexOf(part));
          return places.every((place, index) => place > (places[index - 1] ?? -1));
        });
        expect(stands, `${stop.split("\n")[0]}: ${quote}`).to.equal(true);
        quotes += 1;
      }
    }
    expect(quotes).to.be.greaterThan(15);
  });

  it("names only paths that exist, and names that the linked files have", () => {
    for (const stop of STOPS) {
      const text = linked(stop).join("\n");
      for (const [, name = ""] of withoutCode(stop).matchAll(/`([^`]+)`/g)) {
        if (/^(?:src|test)\//.test(name)) expect(existsSync(name), name).to.equal(true);
        else if (/^[A-Za-z]+$/.test(name) && text) expect(text, stop.split("\n")[0]).to.include(name);
      }
    }
  });
});
