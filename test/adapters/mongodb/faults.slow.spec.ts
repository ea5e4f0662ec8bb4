import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";
import { describeBehindProxy } from "./behind-proxy.js";

const PET = { name: "Rex", categoryId: 7n, status: "available" } as const;
const UNAVAILABLE = "storage_unavailable";

/** Asserts that some work takes less than the 5 seconds within which a client must get its response. */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const result = await work;
  expect(performance.now() - begun).to.be.below(5000);
  return result;
}

/** Runs every operation at once, and resolves to the codes with which they reject. */
function codesOfAll({ pets, archive, ping }: MongodbStorage): Promise<(string | undefined)[]> {
  const all = { status: undefined, after: 0n, limit: 9 };
  const operations = [pets.create(PET), pets.get(1n), pets.list(all), archive.highestId(), ping()];
  return inTime(Promise.all(operations.map(codeOf)));
}

const NONE = Array(5).fill(undefined);
const EACH = Array(5).fill(UNAVAILABLE);

describeBehindProxy("A faulty MongoDB", ({ url, proxy, open }) => {
  // The contract covers servers that are killed, or that hang while the storage is open.
  it("that is silent rejects operations in time, twice, and works once the server responds", async () => {
    proxy().trouble = { silent: true };
    const storage = await inTime(open());
    for (let round = 0; round < 2; round++) {
      proxy().trouble = { silent: true };
      expect(await codesOfAll(storage)).to.deep.equal(EACH);
      proxy().trouble = {};
      while ((await codeOf(storage.ping())) === UNAVAILABLE);
      expect(await codesOfAll(storage)).to.deep.equal(NONE);
    }
  });

  it("behind a firewall that forgot 50 connections works again within 10 seconds", async () => {
    const { pets } = await open("&maxConnecting=50");
    proxy().trouble = { delay: 100 };
    await Promise.all(Array.from({ length: 50 }, () => pets.get(1n)));
    proxy().trouble = {};
    expect(proxy().forget()).to.be.at.least(50);
    const begun = performance.now();
    // The driver does not retry a create on a standalone server.
    while (await codeOf(pets.create(PET))) expect(performance.now() - begun).to.be.below(10_000);
  });

  it("whose responses are lost stores a single pet for each key", async () => {
    const { pets } = await open();
    const ids: bigint[] = [];
    for (const lost of ["findAndModify counters", "insert pets_keys", "insert pets"]) {
      const create = () => pets.create(PET, { key: lost, fingerprint: "fingerprint" });
      proxy().trouble = { cutBeforeAnswerTo: lost };
      expect(await codeOf(create()), lost).to.equal(UNAVAILABLE);
      ids.push((await create()).pet.id);
    }
    const stored = await pets.list({ status: undefined, after: 0n, limit: 99 });
    expect(stored.map(({ id }) => id)).to.deep.equal(ids);
  });

  it("that is not in the replica set, or lacks TLS, is unavailable, and the cause says why", async () => {
    for (const [option, cause] of [
      ["tls=true", /TLS|secureConnect/],
      ["replicaSet=rs0", /replicaSet/],
    ] as const) {
      const { ping, close } = await openMongodb(`${url}?${option}`);
      const error = await ping().catch((error) => error);
      expect(error.code).to.equal(UNAVAILABLE);
      expect(String(error.cause)).to.match(cause);
      await close();
    }
  });
});
