import { join } from "node:path";
import { expect } from "chai";
import {
  type ContractCase,
  describeContract,
  RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  whyNotAsked,
} from "../../src/contracts/storage-contract.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";
import { BUGS } from "./planted/bugs.js";
import { Disk } from "./planted/disk.js";
import { FILE_BUGS } from "./planted/file-bugs.js";
import { FilePets } from "./planted/file-pets.js";
import { SimplePets } from "./planted/simple-pets.js";

/** A storage to which every case applies. */
function storageOn(Storage: new (disk: Disk) => SimplePets): StorageUnderTest {
  let disk = new Disk();
  return {
    async open() {
      disk = new Disk();
      return new Storage(disk);
    },
    reopen: async () => new Storage(disk),
    shared: true,
    archive: true,
    async deletePet(id) {
      disk.rows = disk.rows.filter((row) => row.id !== id);
    },
    petsRead: () => disk.rowsRead,
    async createAndDie(pets) {
      // The instance's memory is lost, as with its process.
      const dying = new Storage(disk);
      return Promise.all(pets.map(async (pet) => (await dying.create(pet)).pet));
    },
    useAndClose: async () => true,
    outage: {
      async down() {
        disk.away = true;
      },
      async up() {
        disk.away = false;
      },
    },
  };
}

/** A storage in a file in a folder. Only one process may use it at a time. */
function storageIn(folder: () => string, Storage: new (path: string) => FilePets): StorageUnderTest {
  let files = 0;
  let latest: FilePets;
  const reopen = async () => {
    latest = new Storage(join(folder(), `${files}`));
    return latest;
  };
  return {
    open() {
      files += 1;
      return reopen();
    },
    reopen,
    deletePet: async (id) => latest.deletePet(id),
    async createAndDie(pets) {
      const dying = await reopen();
      const created = await Promise.all(pets.map(async (pet) => (await dying.create(pet)).pet));
      dying.dead = true;
      return created;
    },
  };
}

/** Asserts that the case finds the rule of the storage broken, and shows the behaviour in one line. */
async function expectFinding(name: string, storage: StorageUnderTest): Promise<void> {
  const { rule, run } = STORAGE_CONTRACT.find((one) => one.name === name) as ContractCase;
  const found = await run(storage).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(found, "what the case found").to.be.instanceOf(RuleBroken);
  expect((found as RuleBroken).message.startsWith(`${rule} Seen: `)).to.equal(true);
  expect((found as RuleBroken).seen).not.to.match(/\n|TypeError/);
}

describe("contract of a storage", function () {
  this.timeout(30_000);

  describe("asked of a storage without a bug", () => {
    const storage = storageOn(SimplePets);
    describeContract(storage);

    it("leaves out no case", () => {
      expect(STORAGE_CONTRACT.filter(({ needs }) => whyNotAsked(needs, storage))).to.deep.equal([]);
    });
  });

  it("has cases with different names and rules", () => {
    const names = STORAGE_CONTRACT.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(new Set(STORAGE_CONTRACT.map(({ rule }) => rule)).size).to.equal(names.length);
    for (const { rule } of STORAGE_CONTRACT) expect(rule).to.match(/^[A-Za-z].*\.$/);
  });

  describe("finds a storage that", () => {
    for (const { what, foundBy, storage: Storage } of BUGS) {
      for (const name of foundBy) {
        it(`${what}, by "${name}"`, async () => {
          await expectFinding(name, storageOn(Storage));
        });
      }
    }
  });

  describe("with files", () => {
    let folder: string;
    beforeEach(() => {
      folder = makeFolder();
    });
    afterEach(() => removeFolder(folder));

    describe("asked of a storage without a bug", () => {
      // The folder exists only once the tests run.
      describeContract(storageIn(() => folder, FilePets));
    });

    describe("finds a storage that", () => {
      for (const { what, foundBy, storage } of FILE_BUGS) {
        it(`${what}, by "${foundBy}"`, () =>
          expectFinding(
            foundBy,
            storageIn(() => folder, storage),
          ));
      }
    });
  });

  it("has a planted bug for each case", () => {
    const finders = new Set(BUGS.flatMap(({ foundBy }) => foundBy));
    const idle = STORAGE_CONTRACT.map(({ name }) => name).filter((name) => !finders.has(name));
    // This case needs a process of its own: test/e2e/conformance.spec.ts plants a bug for it.
    expect(idle).to.deep.equal(["lets the process end"]);
  });
});
