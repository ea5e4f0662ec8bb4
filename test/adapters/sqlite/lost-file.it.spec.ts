import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { openSqlite, type SqliteStorage } from "../../support/open-storages.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

describe("A SQLite file that goes", () => {
  const folder = inEmptyFolder();
  let path: string;
  let storage: SqliteStorage;

  beforeEach(async () => {
    path = join(folder(), "pets.db");
    storage = await openSqlite(path);
    await storage.pets.create(REX);
  });

  const LOSSES: Record<string, () => void> = {
    moved: () => renameSync(path, `${path}.away`),
    replaced: () => {
      renameSync(path, `${path}.away`);
      new DatabaseSync(path).exec("CREATE TABLE other (id)");
    },
  };
  for (const [how, lose] of Object.entries(LOSSES)) {
    it(`takes no pet while it is ${how}, and says so, until it is back`, async () => {
      lose();
      for (const work of [storage.ping(), storage.pets.create(REX)]) {
        const error = await work.catch((reason) => reason);
        expect(error.code).to.equal("storage_unavailable");
        expect(error.cause.message).to.match(/no longer in its place, .*put it back, or restart the service/);
      }
      renameSync(`${path}.away`, path);
      await storage.ping();
      expect((await storage.pets.create(REX)).pet.id).to.equal(2n);
      await storage.close();
    });
  }

  describe("while no service runs", () => {
    beforeEach(() => storage.close());

    const remove = () => {
      for (const name of readdirSync(folder())) if (!name.endsWith(".made")) rmSync(join(folder(), name));
    };
    const LOST: Record<string, () => void> = {
      gone: remove,
      empty: () => {
        remove();
        writeFileSync(path, "");
      },
    };
    for (const [how, lose] of Object.entries(LOST)) {
      it(`is not made again if it is ${how}, until an operator gives it up`, async () => {
        lose();
        const before = readdirSync(folder());
        const error = await openSqlite(path).catch((reason) => reason);
        expect(error.message).to.match(
          new RegExp(`is ${how}.*; restore it from a backup, or give .*: delete .*pets\\.db\\.made\\.$`),
        );
        expect(readdirSync(folder())).to.deep.equal(before);
        rmSync(`${path}.made`);
        await (await openSqlite(path)).close();
      });
    }
  });

  it("closes while another program reads it", async () => {
    const other = new DatabaseSync(path);
    other.exec("BEGIN; SELECT * FROM pets");
    const closed = storage.close().then(() => "closed");
    // A checkpoint that waits for the reader gives up after 4 s, and holds up every create meanwhile.
    const patience = new AbortController();
    const late = sleep(3000, "held up", patience).catch(() => undefined);
    expect(await Promise.race([closed, late])).to.equal("closed");
    patience.abort();
    other.close();
  });
});
