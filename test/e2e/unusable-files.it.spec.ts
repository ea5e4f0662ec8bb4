import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { petsClient } from "../support/pets-client.js";
import { endPrograms, runProgram, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

describe("The program, with files that it cannot use,", function () {
  this.timeout(30_000);
  let cwd: string;
  let database: string;
  let keysFile: string;

  beforeEach(() => {
    cwd = makeFolder();
    mkdirSync(join(cwd, "data"));
    database = join(cwd, "data", "petstore.db");
    keysFile = join(cwd, "data", "keys.json");
  });
  afterEach(async () => {
    await endPrograms();
    removeFolder(cwd);
  });

  async function expectRefusal(pattern: RegExp, env?: Record<string, string>): Promise<void> {
    const { code, stderr } = await runProgram({ cwd, ...(env && { env }) });
    expect(stderr).to.match(pattern);
    expect(stderr.trimEnd().split("\n"), "one line").to.have.length(1);
    expect(code).to.equal(1);
  }

  async function makeDatabase(): Promise<void> {
    const program = await startProgram({ cwd });
    await petsClient(program.origin, program.firstKey).create('{"name":"Rex","categoryId":1}');
    await program.stop();
  }

  it("refuses a damaged database and leaves it as it is", async () => {
    await makeDatabase();
    const bytes = readFileSync(database);
    randomBytes(bytes.length - 100).copy(bytes, 100);
    writeFileSync(database, bytes);
    await expectRefusal(/^petstore: The SQLite file .* cannot be used: it is damaged.* restore .*$/m);
    expect(readFileSync(database).equals(bytes)).to.equal(true);
  });

  it("refuses a storage folder that cannot be made", async () => {
    writeFileSync(join(cwd, "file"), "");
    await expectRefusal(
      /^petstore: The SQLite file file\/pets\.db cannot be used: its folder cannot be made; /,
      {
        PETSTORE_STORAGE: "sqlite:file/pets.db",
      },
    );
  });

  it("refuses to make new keys in place of lost ones", async () => {
    await makeDatabase();
    rmSync(keysFile);
    await expectRefusal(
      /^petstore: The keys file .* is gone; restore it from a backup, or .* keys add NAME$/m,
    );
    expect(existsSync(keysFile)).to.equal(false);
  });
});
