import { relative } from "node:path";
import { expect } from "chai";
import { SILENT_CONTEXT } from "../src/application/storage-adapter.js";
import { checkUrl, loadStorages, maskUrl, openStorage } from "../src/storages.js";
import { makeFolder } from "./support/in-empty-folder.js";
import { outsideStorage, writeModule } from "./support/outside-storage.js";

describe("A storage from outside", () => {
  let dir: string;
  const folder = () => dir;
  beforeEach(() => {
    dir = makeFolder();
  });
  let loaded = 0;
  /** Loads a module with this source, under a new name each time, because Node keeps loaded modules. */
  const load = (source: string) => loadStorages(writeModule(folder(), `acme-${++loaded}.mjs`, source));

  it("is known beside the built-in ones, with its origin, and opens", async () => {
    const path = writeModule(folder(), "acme.mjs", outsideStorage());
    const storages = await loadStorages(` ${path} `);
    expect(storages.faults).to.deep.equal([]);
    expect(storages.known.map(({ from }) => from)).to.deep.equal([...Array(3).fill("built in"), path]);
    expect(storages.known.at(-1)).to.include({ from: path, module: path });
    const { pets } = await openStorage("acme:pets", storages, SILENT_CONTEXT);
    expect(await pets.get(1n)).to.equal(undefined);
  });

  it("is loaded by a path relative to the working directory, but a package never from there", async () => {
    const path = relative(process.cwd(), writeModule(folder(), "acme.mjs", outsideStorage()));
    expect((await loadStorages(path)).faults).to.deep.equal([]);
    writeModule(`${folder()}/node_modules/acme`, "index.js", outsideStorage());
    const before = process.cwd();
    process.chdir(folder());
    try {
      expect((await loadStorages("acme")).faults[0]).to.include("names acme, which is not installed beside");
    } finally {
      process.chdir(before);
    }
  });

  it("checks and masks its own URLs", async () => {
    const storages = await load(outsideStorage('mask: (url) => url.replace(/=.*/, "=***")'));
    expect(checkUrl("acme:", storages)).to.equal("must have a name, e.g. acme:NAME");
    expect(checkUrl("other:x", storages)).to.equal(
      "must be memory:, sqlite:PATH, mongodb://HOST/DATABASE or acme:NAME, e.g. sqlite:./data/petstore.db",
    );
    expect(maskUrl("acme:pets?key=secret", storages)).to.equal("acme:pets?key=***");
  });

  const REFUSED = {
    "not JavaScript": "fails as it loads: ",
    'throw new Error("no licence");': "fails as it loads: no licence; fix it, or ask its author",
    'import "no-driver";': "fails as it loads: Cannot find package 'no-driver'",
    "": "has no default export that is a StorageAdapter",
    "export default class Acme {};": "has no default export that is a StorageAdapter",
    [outsideStorage("api: 9")]: "has api 9, and this petstore knows api 2; install a version that fits",
    [outsideStorage('schemes: ["acme", "sqlite"]')]:
      "has the scheme sqlite:, which a built-in storage has already",
    [outsideStorage('schemes: "acme"')]: "has no default export that is a StorageAdapter",
  };
  for (const [source, fault] of Object.entries(REFUSED)) {
    it(`is refused: ${fault}`, async () => {
      const { faults, known } = await load(source);
      expect(known).to.have.length(3);
      expect(faults).to.have.length(1);
      expect(faults[0])
        .to.match(/^names \/.*acme-\d+\.mjs, which /)
        .and.include(fault);
      expect(faults[0]).to.not.include("\n");
    });
  }

  it("is refused if another one has its scheme", async () => {
    const one = writeModule(folder(), "one.mjs", outsideStorage());
    const two = writeModule(folder(), "two.mjs", outsideStorage());
    expect((await loadStorages(`${one},${two}`)).faults).to.deep.equal([
      `names ${two}, which has the scheme acme:, which ${one} has already; leave one of them out`,
    ]);
  });

  for (const [name, fault] of [
    [
      "no-such-storage",
      "is not installed beside petstore; install it there with npm, or name a file by a path",
    ],
    ["@acme/no-such-storage", "is not installed beside petstore"],
    ["valibot/no-such-module", "cannot be found: "],
    ["./no/such/file.mjs", "is not there: "],
    ["https://a.example/x.js", "cannot be found: "],
  ] as const) {
    it(`is refused by the name ${JSON.stringify(name)}`, async () => {
      expect((await loadStorages(name)).faults[0]).to.include(`names ${name}, which ${fault}`);
    });
  }

  for (const [what, thrown, message] of [
    ["its own words", 'new Error("buy a licence")', "buy a licence"],
    ["the error of a driver", 'new TypeError("no schema")', "cannot be opened: no schema"],
    ["no Error", '"no schema"', "cannot be opened: no schema"],
    ["its URL", "new Error('cannot reach ' + url)", "cannot reach acme://user:***@host/pets"],
    ["a URL of a driver's", "new Error('at other://user:p@ss@host')", "at other://user:***@host"],
  ]) {
    it(`fails to open with ${what}, and shows no secret`, async () => {
      const storages = await load(outsideStorage(`open: async (url) => { throw ${thrown}; }`));
      const failure = await openStorage("acme://user:p@ss@host/pets", storages, SILENT_CONTEXT).catch(String);
      expect(failure).to.include(message).and.not.include("p@ss");
    });
  }
});
