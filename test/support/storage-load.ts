import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { ArchivedPet } from "../../src/application/ports/pet-archive.js";
import type { PetRepository } from "../../src/application/ports/pet-repository.js";
import { isStorageUnavailable } from "../../src/domain/errors.js";
import type { Pet } from "../../src/domain/pet.js";
import { until } from "./eventually.js";

/** Callers that create and read all the time, and compare every answer with earlier ones. Half of the creates have keys. */
export class StorageLoad {
  /** The pets that creates have answered, by id. */
  readonly acknowledged = new Map<bigint, ArchivedPet>();
  private readonly problems: string[] = [];
  private readonly callers: Promise<void>[];
  private running = true;
  private names = 0;

  /** @param isUnconfirmed whether the storage could still lose a pet */
  constructor(
    private readonly pets: PetRepository,
    private readonly isUnconfirmed: (id: bigint) => boolean = () => false,
  ) {
    this.callers = Array.from({ length: 9 }, (_, n) => (n < 6 ? this.write(n % 2 === 0) : this.read()));
  }

  /** Resolves once creates are acknowledged again, within the 10 seconds that a storage has to heal. */
  async acknowledgesMore(): Promise<void> {
    const before = this.acknowledged.size;
    await until(() => this.acknowledged.size > before, 10_000);
  }

  /** Ends the load, and asserts that nothing was lost, changed or stored twice. */
  async verify(): Promise<void> {
    this.running = false;
    await Promise.all(this.callers);
    const stored = await this.pets.list({ status: undefined, after: 0n, limit: 1_000_000 });
    expect(new Set(stored.map(({ name }) => name)).size, "pets that are stored once").to.equal(stored.length);
    const byId = new Map(stored.map((pet) => [pet.id, pet]));
    for (const [id, { pet, record }] of this.acknowledged) {
      expect(byId.get(id)).to.deep.equal(pet);
      if (!record) continue;
      const replay = { pet, earlierFingerprint: record.fingerprint };
      expect(await this.pets.create({ ...pet, name: "again" }, record)).to.deep.equal(replay);
    }
    expect(this.problems).to.deep.equal([]);
    expect(this.acknowledged.size).to.be.greaterThan(0);
  }

  private async write(isKeyed: boolean): Promise<void> {
    while (this.running) {
      const number = ++this.names;
      const sent = {
        name: `Żółw ${number} 🐢`,
        categoryId: 2n ** 62n + BigInt(number),
        status: "sold",
      } as const;
      const record = isKeyed ? { key: `key ${number}`, fingerprint: "fingerprint" } : undefined;
      // A create under a key is repeated until it is acknowledged, even if the load should end.
      let pet: Pet | undefined;
      do pet = (await this.ask(() => this.pets.create(sent, record)))?.pet;
      while (!pet && isKeyed);
      if (!pet) continue;
      if (this.isUnconfirmed(pet.id)) this.problems.push(`pet ${pet.id} is acknowledged too early`);
      if (this.acknowledged.has(pet.id)) this.problems.push(`id ${pet.id} is given twice`);
      expect(pet).to.deep.equal({ id: pet.id, ...sent });
      this.acknowledged.set(pet.id, { pet, record });
    }
  }

  private async read(): Promise<void> {
    while (this.running) {
      const known = [...this.acknowledged.values()];
      const { pet } = known[Math.floor(Math.random() * known.length)] ?? {};
      const got = await this.ask(async () => ({ pet: pet && (await this.pets.get(pet.id)) }));
      if (got) expect(got.pet).to.deep.equal(pet);
      await this.ask(() => this.pets.list({ status: "sold", after: 0n, limit: 5 }));
    }
  }

  /** Undefined if the storage is down. */
  private async ask<Result>(operation: () => Promise<Result>): Promise<Result | undefined> {
    const begun = performance.now();
    try {
      return await operation();
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      return undefined;
    } finally {
      if (performance.now() - begun > 5000) this.problems.push("an answer came too late");
      await sleep(Math.random() * 20);
    }
  }
}
