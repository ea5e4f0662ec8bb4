import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { describeContract, otherProcess, STORAGE_CONTRACT, storageOf } from "petstore/storage/contract";
import adapter from "../src/storage.js";
import { Cluster, withClient } from "./cluster.js";

describe("PostgreSQL", { timeout: 300_000 }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(() => cluster.remove());

  const storage = storageOf(adapter, {
    newUrl: () => cluster.newUrl(),
    archive: true,
    deletePet,
    ...otherProcess(fileURLToPath(import.meta.resolve("../src/storage.js"))),
    outage: { down: () => cluster.kill(), up: () => cluster.up() },
  });
  describeContract(storage, { describe, it });

  const frozen = { ...storage, outage: { down: () => cluster.freeze(), up: () => cluster.thaw() } };
  for (const { name, needs, run } of STORAGE_CONTRACT) {
    if (needs.includes("outage")) it(`${name}, while the server falls silent`, () => run(frozen));
  }
});

async function deletePet(url: string, id: bigint): Promise<void> {
  await withClient(url, (client) => client.query("DELETE FROM pets WHERE id = $1", [id]));
}
