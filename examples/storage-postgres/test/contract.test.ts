import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { NewPet, Pet } from "petstore/storage";
import { describeContract, STORAGE_CONTRACT, storageOf } from "petstore/storage/contract";
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
    createAndDie,
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

/** Lets a process create the pets, and kills it as soon as it tells of the last one. */
async function createAndDie(url: string, pets: readonly NewPet[]): Promise<Pet[]> {
  const script = join(import.meta.dirname, "create-pets.js");
  const child = spawn(process.execPath, [script, url], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(
    pets
      .map(({ name, categoryId, status }) => `${JSON.stringify([name, `${categoryId}`, status])}\n`)
      .join(""),
  );
  let told = "";
  for await (const text of child.stdout) {
    told += text;
    if (told.split("\n").length > pets.length) child.kill("SIGKILL");
  }
  await once(child, "close").catch(() => undefined);
  const answered = told.split("\n").filter(Boolean);
  return answered.map((line) => {
    const [id, name, categoryId, status] = JSON.parse(line);
    return { id: BigInt(id), name, categoryId: BigInt(categoryId), status };
  });
}
