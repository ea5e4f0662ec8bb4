import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";

// Mocha runs in the project's own folder.
const DOCUMENTS = [
  ...readdirSync("."),
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));

/** The paths in this project that a document links to, without their fragments. */
function linkedPaths(document: string): string[] {
  const links = readFileSync(document, "utf8").matchAll(/(?:\]\(|(?:src|srcset)=")(?!https?:)([^)"#\s]+)/g);
  return [...links].map(([, path = ""]) => join(dirname(document), path));
}

/** The anchors that GitHub makes of the headings of a document. */
function anchorsOf(document: string): string[] {
  const headings = readFileSync(document, "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("The documents", () => {
  it("link to files and folders that exist", () => {
    const broken = DOCUMENTS.flatMap((document) =>
      linkedPaths(document)
        .filter((path) => !existsSync(path))
        .map((path) => `${document} → ${path}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it("link to headings that exist", () => {
    const broken = DOCUMENTS.flatMap((document) => {
      const links = readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g);
      return [...links]
        .map(([, path, anchor = ""]) => ({ path: path ? join(dirname(document), path) : document, anchor }))
        .filter(({ path, anchor }) => !anchorsOf(path).includes(anchor))
        .map(({ path, anchor }) => `${document} → ${path}#${anchor}`);
    });
    expect(broken).to.deep.equal([]);
  });

  it("have an operator paste at most three lines at a time", () => {
    const names = [
      "README",
      "docs/operations",
      "docs/moving",
      "docs/mongodb",
      "docs/observability",
      "docs/scaling",
    ];
    const long = names.flatMap((name) =>
      [...readFileSync(`${name}.md`, "utf8").matchAll(/^```(?:sh|bash|console)\n(?:(?!```).*\n){4,}/gm)].map(
        ([block]) => `${name}.md: ${block}`,
      ),
    );
    expect(long).to.deep.equal([]);
  });

  it("name only existing tests in docs/security.md", () => {
    const quoted = readFileSync("docs/security.md", "utf8").matchAll(/`([\w/.*-]+\.spec\.ts)`/g);
    const named = Array.from(quoted, ([, name = ""]) => name);
    expect(named.length).to.be.greaterThan(15);
    const tests = readdirSync("test", { recursive: true, encoding: "utf8" });
    const matches = (name: string) => new RegExp(`^${name.replace("*", "[^/]*")}$`);
    const missing = named.filter((name) => !tests.some((test) => matches(name).test(test)));
    expect(missing).to.deep.equal([]);
  });

  it("have a place for every room of src on the map of the README", () => {
    const [, map = ""] = /^## Where things are\n(.*?)^## /ms.exec(readFileSync("README.md", "utf8")) ?? [];
    for (const name of readdirSync("src")) {
      if (/^[a-z]/.test(name)) expect(map).to.match(new RegExp(`\`src/${name}[/\`]`));
    }
    for (const name of readdirSync("src/adapters")) expect(map).to.include(`\`${name}\``);
  });

  it("list every decision in their index", () => {
    const pages = DOCUMENTS.filter((name) => /decisions.(?!README)/.test(name));
    for (const page of pages) expect(page).to.match(/decisions.\d{4}-[a-z0-9-]+\.md$/);
    expect(pages).not.to.be.empty;
    expect(linkedPaths("docs/decisions/README.md")).to.have.members(pages);
  });

  it("show the test of a storage as it is", () => {
    const shown = /^ {3}```ts\n(.*?describe.*?)^ {3}```$/ms.exec(
      readFileSync("CONTRIBUTING.md", "utf8").split("## How to add a storage")[1] ?? "",
    )?.[1];
    expect(shown?.replace(/^ {3}/gm, "")).to.equal(
      readFileSync("test/adapters/sqlite/sqlite-pet-repository.it.spec.ts", "utf8"),
    );
  });
});
