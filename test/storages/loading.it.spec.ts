import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { mock } from "node:test";
import { inspect } from "node:util";
import { expect } from "chai";
import { SILENT_CONTEXT, STORAGE_API } from "../../src/application/ports/storage.js";
import { SettingsError } from "../../src/settings/settings-error.js";
import { findStorage } from "../../src/settings/storage-rules.js";
import { findAdapter } from "../../src/storages/known-storages.js";
import { maskUrl } from "../../src/storages/mask-url.js";
import { openStorage } from "../../src/storages/open-storage.js";
import { loadStorages } from "../../src/storages/storages.js";
import { captureLog } from "../support/captured-log.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { outsideStorage, writeModule } from "../support/outside-storage.js";

describe("a storage from outside", () => {
  const folder = inEmptyFolder();

  let loaded = 0;
  /** Loads one module with that source, under a new name each time, since Node keeps loaded modules. */
  const load = (source: string) => loadStorages(writeModule(folder(), `acme-${++loaded}.mjs`, source));

  it("is known beside those that are built in, with its origin", async () => {
    const path = writeModule(folder(), "acme.mjs", outsideStorage());
    const storages = await loadStorages(` ${path} `);
    expect(storages.faults).to.deep.equal([]);
    expect(storages.describe().at(-1)).to.deep.equal({
      schemes: ["acme"],
      form: "acme:NAME",
      shared: true,
      durable: false,
      from: path,
      module: path,
    });
    expect(storages.describe().map(({ from }) => from)).to.have.members([...Array(3).fill("built in"), path]);
    const { pets } = await openStorage("acme:pets", storages, SILENT_CONTEXT);
    expect(await pets.get(1n)).to.equal(undefined);
  });

  it("is loaded by a path from the working directory, also without ./, but never as a package", async () => {
    const path = relative(process.cwd(), writeModule(folder(), "acme.mjs", outsideStorage()));
    expect(path).to.match(/^\.\.\//);
    expect((await loadStorages(path)).adapters).to.have.length(4);
    const before = process.cwd();
    process.chdir(folder());
    try {
      for (const at of ["adapters", "@acme"]) {
        mkdirSync(at);
        writeModule(at, "acme.mjs", outsideStorage());
      }
      expect((await loadStorages("adapters/acme.mjs")).faults).to.deep.equal([]);
      writeModule("node_modules/acme", "index.js", outsideStorage());
      for (const name of ["@acme/acme.mjs", "acme"]) {
        const { faults } = await loadStorages(name);
        expect(faults[0]).to.include(`names ${name}, which is not installed beside petstore`);
      }
    } finally {
      process.chdir(before);
    }
  });

  it("may be a CommonJS module, and one of several", async () => {
    const common = outsideStorage('schemes: ["common"]')
      .replace(/import .*;/, "const MemoryPetRepository = class {};")
      .replace("export default", "module.exports =");
    const one = writeModule(folder(), "one.mjs", outsideStorage());
    const storages = await loadStorages(`${one},${writeModule(folder(), "two.cjs", common)}`);
    expect(storages.faults).to.deep.equal([]);
    expect(storages.adapters.flatMap(({ schemes }) => schemes)).to.include.members(["acme", "common"]);
  });

  it("checks and masks its own URLs", async () => {
    const storages = await load(outsideStorage('mask: (url) => url.replace(/=.*/, "=***")'));
    const named = "The URL of a storage must have a name, e.g. acme:NAME";
    expect(() => findStorage("acme:", storages)).to.throw(SettingsError, named);
    expect(() => findStorage("other:x", storages)).to.throw(
      SettingsError,
      /must be memory:, sqlite:PATH, mongodb:\/\/HOST\/DATABASE or acme:NAME, e\.g\. /,
    );
    expect(maskUrl(findAdapter("acme:pets?key=secret", storages), "acme:pets?key=secret")).to.equal(
      "acme:pets?key=***",
    );
  });

  it("does not end the program, and shows no secret, if it fails to check or to mask a URL", async () => {
    const fail = '() => { throw new Error("s3cret") }';
    for (const mask of [fail, "() => 5"]) {
      const storages = await load(outsideStorage(`check: ${fail}, mask: ${mask}`));
      expect(() => findStorage("acme:s3cret", storages)).to.throw(
        SettingsError,
        "The URL of a storage is refused by its adapter, which fails to say why, e.g. acme:NAME",
      );
      expect(maskUrl(findAdapter("acme:s3cret", storages), "acme:s3cret")).to.equal("***");
    }
  });

  const REFUSED: readonly (readonly [what: string, source: string, fault: string])[] = [
    ["is no JavaScript", "not JavaScript", "fails as it loads: "],
    ["throws", 'throw new Error("no licence");', "fails as it loads: no licence; correct it, or ask"],
    ["throws undefined", "throw undefined;", "fails as it loads: undefined; correct it"],
    ["imports what is missing", 'import "no-driver";', "fails as it loads: Cannot find package 'no-driver'"],
    ...["", "export const api = 1;", "export default null;", "export default class Acme {};"].map(
      (source) =>
        [`is ${source || "empty"}`, source, "has no default export that is a StorageAdapter"] as const,
    ),
    ...[
      ["api: 9", `has api 9, and this petstore knows api ${STORAGE_API}; install a version`],
      ['api: "2"', `has api "2", and this petstore knows api ${STORAGE_API}`],
      [
        'schemes: ["acme", "sqlite"]',
        "has the scheme sqlite:, which one that is built in has already; leave one",
      ],
      ...["[]", '["acme:"]', "[1]", '"acme"'].map((it) => [`schemes: ${it}`, "has malformed schemes; each"]),
      ["form: undefined", "has no form of type string, which"],
      ["shared: undefined", "has no shared of type boolean, which"],
      ["durable: 1", "has no durable of type boolean, which"],
      ["check: undefined", "has no check of type function, which"],
      ["open: undefined", "has no open of type function, which"],
      ['mask: "***"', "has no mask of type function, which"],
    ].map(([members = "", fault = ""]) => [`has ${members}`, outsideStorage(members), fault] as const),
  ];
  for (const [what, source, fault] of REFUSED) {
    it(`is refused if its module ${what}`, async () => {
      const path = writeModule(folder(), "acme.mjs", source);
      const { faults, adapters } = await loadStorages(path);
      expect(adapters).to.have.length(3);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include(`names ${path}, which ${fault}`).and.not.include("\n");
    });
  }

  it("is refused if another one from outside has its scheme, or if it is named twice", async () => {
    const one = writeModule(folder(), "one.mjs", outsideStorage());
    const two = writeModule(folder(), "two.mjs", outsideStorage());
    for (const other of [one, two]) {
      const { faults } = await loadStorages(`${one},${other}`);
      expect(faults).to.deep.equal([
        `names ${other}, which has the scheme acme:, which ${one} has already; leave one of them out`,
      ]);
    }
  });

  it("is refused if its name leads to no file", async () => {
    mkdirSync(join(folder(), "folder"));
    for (const [name, fault] of [
      [
        "no-such-storage",
        /^names no-such-storage, which is not installed beside petstore \(\/.*\); install it there with npm, or /,
      ],
      ["@acme/no-such-storage", /which is not installed beside petstore/],
      [
        "valibot/no-such-module",
        /which cannot be found: .* is not defined by "exports" .*; correct the name$/,
      ],
      ["chai/no-such-module.js", /which is no file: there is no .*chai.no-such-module/],
      [join(folder(), "missing.js"), /which is no file: there is no \/.*missing\.js; correct the path/],
      [join(folder(), "folder"), /which fails as it loads: Directory import .* is not supported/],
    ] as const) {
      const { faults } = await loadStorages(name);
      expect(faults, name).to.have.length(1);
      expect(faults[0]).to.match(fault);
    }
  });

  for (const names of [
    "",
    ",",
    "acme,",
    "two words",
    "#x",
    "$acme",
    "node:fs",
    "https://a.example/x.js",
    "data:text/javascript,x",
    "file:///x.js",
  ]) {
    it(`is refused if PETSTORE_STORAGE_ADAPTERS is ${JSON.stringify(names)}`, async () => {
      expect((await loadStorages(names)).faults).to.deep.equal([
        "must be names of packages or paths of modules that begin with ./ ../ or /, separated by commas, " +
          "e.g. petstore-storage-acme,./storages/acme.js",
      ]);
    });
  }

  it("keeps other storages from opening as long as the setting is faulty", async () => {
    const storages = await loadStorages("no-such-storage,./no/such/file.js");
    expect(() => findStorage("memory:", storages)).to.throw(
      SettingsError,
      /^These settings need correcting:\n {2}PETSTORE_STORAGE_ADAPTERS names no.*\n.*file\.js/,
    );
  });

  describe("as it opens", () => {
    const open = async (url: string, changes: string) =>
      openStorage(url, await load(outsideStorage(changes)), SILENT_CONTEXT).then(
        () => expect.fail("opened"),
        (error: Error) => error,
      );

    for (const [what, thrown] of [
      ["the error of a driver", 'new (class DriverError extends Error {})("no such schema")'],
      ["something that is no Error", '"no such schema"'],
    ] as const) {
      it(`may fail with ${what}, which the message shows with the storage's name`, async () => {
        const error = await open("acme:pets", `open: async () => { throw ${thrown} }`);
        expect(error.constructor).to.equal(Error);
        expect(error.message).to.equal("The storage acme:pets cannot be opened: no such schema");
      });
    }

    for (const [given, lacking] of [
      ["undefined", "pets.create"],
      ["{ pets: 1 }", "pets.create"],
      ["{ pets: Object.assign(new Pets(), { list: undefined }) }", "pets.list"],
      ["{ ...storageOf(new Pets()), archive: { readPets() {} } }", "archive.storePets"],
      ["{ pets: new Pets(), ping() {} }", "close"],
    ]) {
      it(`may not give ${given}, and the message names what it lacks`, async () => {
        const error = await open("acme:pets", `open: async () => (${given})`);
        expect(error.message).to.include(
          `The storage acme:pets lacks ${lacking}(), which this petstore needs`,
        );
      });
    }

    it("is a line of the log if that takes more than 10 s", async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      const { log, lines } = captureLog();
      const storages = await load(outsideStorage("open: () => new Promise(() => {})"));
      void openStorage("acme:pets", storages, { ...SILENT_CONTEXT, log });
      mock.timers.tick(10_000);
      mock.timers.reset();
      expect(lines[0]?.msg).to.match(/^the storage acme:pets has not opened for 10 s/);
    });

    it("shows no secret of its URL, however its error repeats it", async () => {
      const secret = "p%40ss.W0rd";
      for (const mask of ["", 'mask: () => { throw new Error("no mask") },']) {
        for (const thrown of [
          "new Error('cannot reach ' + url)",
          `new Error("no way to user:${secret}@host")`,
          'new Error("user:p@ss.W0rd@host does not answer")',
          "new TypeError('Invalid URL: ' + url)",
          "new Error('no', { cause: new Error(url) })",
          "url",
        ]) {
          for (const start of ["async open(url)", "open(url)"]) {
            const failing = `${mask} ${start} { throw ${thrown} }`;
            const error = await open(`acme://user:${secret}@host/pets`, failing);
            expect(error, thrown).to.be.instanceOf(Error);
            expect(inspect(error), thrown).to.not.match(/p(%40|@)ss\.W0rd/);
          }
        }
      }
    });
  });
});
