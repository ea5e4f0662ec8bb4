import { relative } from "node:path";
import { expect } from "chai";
import { SILENT_CONTEXT } from "../src/application/storage-adapter.js";
import { Storages } from "../src/storages.js";
import { makeFolder } from "./support/in-empty-folder.js";
import { outsideStorage, writeModule } from "./support/outside-storage.js";

describe("A storage from outside", () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  const load = (modules: string) => Storages.load({ PETSTORE_STORAGE_ADAPTERS: modules });
  const loadSource = (source: string) => load(writeModule(folder, "acme.mjs", source));

  it("is listed after the built-in ones, with its origin, and opens", async () => {
    const path = writeModule(folder, "acme.mjs", outsideStorage());
    const storages = await load(` ${path} `);
    expect(storages.faults).to.deep.equal([]);
    expect(storages.list.map(({ from }) => from)).to.deep.equal([...Array(3).fill("built in"), path]);
    expect(storages.list.at(-1)).to.include({ from: path, module: path });
    const { pets } = await storages.open("acme:pets", SILENT_CONTEXT);
    expect(await pets.get(1n)).to.equal(undefined);
  });

  it("is loaded from a path relative to the working directory, or from a package, never from that directory", async () => {
    const path = relative(process.cwd(), writeModule(folder, "acme.mjs", outsideStorage()));
    expect((await load(path)).faults).to.deep.equal([]);
    writeModule(`${folder}/node_modules/acme`, "index.js", outsideStorage());
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect((await load("acme")).faults[0]).to.include("names acme, which is not installed beside");
    } finally {
      process.chdir(before);
    }
  });

  it("checks and masks its own URLs", async () => {
    const storages = await loadSource(outsideStorage('mask: (url) => url.replace(/=.*/, "=***")'));
    expect(storages.check("acme:")).to.equal("must have a name, e.g. acme:NAME");
    expect(storages.check("other:x")).to.equal(
      "must be one of memory:, sqlite:PATH, mongodb://HOST/DATABASE, acme:NAME, e.g. sqlite:./data/petstore.db",
    );
    expect(storages.mask("acme:pets?key=secret")).to.equal("acme:pets?key=***");
  });

  const REJECTED = {
    "not JavaScript": "failed to load: ",
    'throw new Error("no licence");': "failed to load: no licence",
    'import "no-driver";': "failed to load: Cannot find package 'no-driver'",
    "": "does not default-export a StorageAdapter",
    "export default class Acme {};": "does not default-export a StorageAdapter",
    [outsideStorage("api: 9")]: "targets api 9; this petstore supports api 2",
    [outsideStorage('schemes: ["acme", "sqlite"]')]:
      "uses the scheme sqlite:, which a built-in storage already uses",
    [outsideStorage('schemes: "acme"')]: "does not default-export a StorageAdapter",
  };
  for (const [source, fault] of Object.entries(REJECTED)) {
    it(`is rejected: it ${fault}`, async () => {
      const { faults, list } = await loadSource(source);
      expect(list).to.have.length(3);
      expect(faults).to.have.length(1);
      expect(faults[0])
        .to.match(/^names \/.*acme\.mjs, which /)
        .and.include(fault);
      expect(faults[0]).to.not.include("\n");
    });
  }

  it("is rejected if another one uses its scheme", async () => {
    const [first, second] = ["one.mjs", "two.mjs"].map((name) => writeModule(folder, name, outsideStorage()));
    const { faults } = await load(`${first},${second}`);
    expect(faults).to.have.length(1);
    expect(faults[0]).to.include(`names ${second}, `).and.include(first);
  });

  for (const [name, fault] of [
    ["no-such-storage", "is not installed beside petstore; install it there with npm, or use a path"],
    ["@acme/no-such-storage", "is not installed beside petstore"],
    ["valibot/no-such-module", "is not installed beside petstore"],
    ["./no/such/file.mjs", "was not found: "],
    ["https://a.example/x.js", "is not installed beside petstore"],
  ] as const) {
    it(`is rejected under the name ${JSON.stringify(name)}`, async () => {
      expect((await load(name)).faults[0]).to.include(`names ${name}, which ${fault}`);
    });
  }

  for (const [what, open, message, exitCode = undefined] of [
    ["no build for it", "throw new Error('No native build was found for x')", "this machine: No native", 2],
    ["no library for it", "throw Object.assign(Error('x'), { code: 'ERR_DLOPEN_FAILED' })", "machine: x", 2],
    ["undefined", "return undefined", "a bug in the storage"],
    ["a plain Error", "throw new Error('buy a licence\\nhere')", "buy a licence\nhere"],
    ["a driver's error", "throw new TypeError('no schema')", "cannot be opened: no schema"],
    ["a string", "throw 'no schema'", "cannot be opened: no schema"],
    ["its URL", "throw new Error('not at ' + url)", "not at acme://user:***@host/pets"],
    ["another URL", "throw new Error('not at other://user:p@ss@host')", "not at other://user:***@host"],
  ] as const) {
    it(`fails to open with ${what}, without secrets, and exits with ${exitCode ?? 1}`, async () => {
      const storages = await loadSource(outsideStorage(`open: async (url) => { ${open}; }`));
      const opening = storages.open("acme://user:p@ss@host/pets", SILENT_CONTEXT);
      const failure = await opening.catch((error) => error);
      expect(failure.exitCode).to.equal(exitCode);
      expect(failure.message).to.include(message).and.not.include("p@ss");
    });
  }

  it("is named if it adds an invalid metric", async () => {
    const source = 'open: async (url, context) => context.addReading({ name: "a b" })';
    const storages = await loadSource(outsideStorage(source));
    const addReading = () => {
      throw new Error("Invalid metric name");
    };
    const failure = await storages.open("acme:x", { ...SILENT_CONTEXT, addReading }).catch((error) => error);
    expect(failure).to.include({ exitCode: 2 });
    expect(failure.message).to.equal("The storage acme:x adds the metric a b: Invalid metric name");
  });
});
