import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { describeContract, otherProcess, storageOf } from "petstore/storage/contract";
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
    pause: { down: () => cluster.freeze(), up: () => cluster.thaw() },
  });
  describeContract(storage, { describe, it });
});

async function deletePet(url: string, id: bigint): Promise<void> {
  await withClient(url, (client) => client.query("DELETE FROM pets WHERE id = $1", [id]));
}
