import { expect } from "chai";
import type { Document } from "mongodb";
import type { StorageReading } from "../../../src/application/ports/storage.js";
import { captureLog, type LogLine } from "../../support/captured-log.js";
import { MALFORMED, REX } from "../../support/malformed-pet-documents.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

describeWithMongodb("A storage over foreign documents", (url) => {
  let storage: MongodbStorage;
  let lines: LogLine[];
  let skipped: StorageReading | undefined;

  beforeEach(async () => {
    await dropDatabase(url);
    const captured = captureLog();
    lines = captured.lines;
    skipped = undefined;
    const addReading = (reading: StorageReading) => {
      if (reading.name === "petstore_mongodb_malformed_documents_total") skipped = reading;
    };
    storage = await openMongodb(url, { log: captured.log, addReading });
  });

  afterEach(() => storage.close());

  /** Stores documents as a program that the validator does not check. */
  const store = (documents: Document[], options: object = { bypassDocumentValidation: true }) =>
    withDatabase(url, (database) => database.collection("pets").insertMany(documents, options));

  const list = (limit: number, status?: "sold") => storage.pets.list({ status, after: 0n, limit });

  // `documents.spec.ts` has every kind.
  for (const what of ["no name", "an id that is a double"]) {
    const document = MALFORMED[what] as Document;
    it(`skips a document with ${what}, names it in the log once, counts each time, and fills the page`, async () => {
      await store([1n, 2n, 4n, 5n].map((_id) => ({ ...REX, _id })));
      await store([document]);
      for (let round = 0; round < 3; round++) {
        expect(skipped?.read()).to.equal(2 * round);
        expect((await list(3)).map(({ id }) => id)).to.deep.equal([1n, 2n, 4n]);
        expect((await list(101, "sold")).map(({ id }) => id)).to.deep.equal([1n, 2n, 4n, 5n]);
      }
      expect(await storage.pets.get(3n)).to.equal(undefined);
      const named = lines.filter(({ level }) => level === 40);
      expect(named).to.have.length(1);
      expect(named[0]).to.include({ _id: String(document._id), skipped: 1 });
      expect(named[0]?.msg).to.match(/validator asks for, or remove it$/);
    });
  }

  it("refuses to hand a malformed document to a copy, and names the document", async () => {
    await store([{ ...REX, _id: 1n }, MALFORMED["an id that is a double"] as Document]);
    const error = await storage.archive.readPets({ after: 0n, limit: 10 }).catch((error) => error);
    expect(error).to.be.instanceOf(Error).and.not.have.property("code");
    expect(error.message).to.match(/ _id 3 .*or remove it$/);
  });

  it("counts the documents that no range of ids finds, so that a copy refuses them", async () => {
    await store([{ ...REX, _id: 1n }, MALFORMED["an id that is a double"] as Document]);
    expect(await storage.unarchived()).to.equal(undefined);
    const ids = ["text", 0n, -1n, Number.NaN, { a: 1 }];
    await store(ids.map((_id) => ({ ...REX, _id })));
    expect(await storage.unarchived()).to.match(
      /^5 documents in pets whose _id is no number from 1, e\.g\. ./,
    );
    expect(await list(9)).to.have.length(1);
  });

  it("fills a page behind thousands of malformed documents, and names a thousand of them", async () => {
    const malformed = Array.from({ length: 2500 }, (_, n) => ({ _id: BigInt(n + 1), name: "Rex" }));
    await store([...malformed, { ...REX, _id: 2501n }]);
    expect((await list(20)).map(({ id }) => id)).to.deep.equal([2501n]);
    expect(lines.filter(({ _id }) => _id !== undefined)).to.have.length(1000);
  });

  it("makes the database refuse malformed documents of other programs from the start", async () => {
    for (const [what, document] of Object.entries(MALFORMED)) {
      const refused = await store([document], {}).catch((error) => error.message);
      expect(refused, what).to.match(/failed validation/i);
    }
    await store([{ ...REX, _id: 1n }], {});
  });

  it("rejects with storage_unavailable a repeated create whose pet was made malformed, and names the pet in the cause", async () => {
    const record = { key: "key", fingerprint: "fingerprint" };
    const { pet } = await storage.pets.create({ ...REX, status: "sold" }, record);
    await withDatabase(url, (database) =>
      database.collection("pets").updateOne({}, { $unset: { name: 1 } }, { bypassDocumentValidation: true }),
    );
    const refused = await storage.pets.create({ ...REX, status: "sold" }, record).catch((error) => error);
    expect(refused.code).to.equal("storage_unavailable");
    expect(refused.cause.message).to.include(`_id ${pet.id}`);
  });
});
