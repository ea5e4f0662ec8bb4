import assert from "node:assert/strict";
import type { Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  get,
  inOrder,
  list,
  plain,
  recordOf,
  somePet,
} from "../samples.js";

/** Cases: ping, close, restarts, the death of the process, and several instances on one storage. */
export const LIFECYCLE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    async check(pets) {
      assert.equal(await pets.ping(), undefined, "the answer to ping");
      await create(pets);
      await pets.ping();
    },
  }),
  contractCase({
    name: "finishes before it closes",
    rule: "close first finishes every operation that was asked before it.",
    async check(pets, { storage, reopen, close }) {
      const pet = await create(pets);
      const reads = Promise.all([get(pets, pet.id), list(pets, { limit: 1 }), pets.ping()]);
      const creates = atOnce(20, (n) => pets.create(somePet(), n % 2 ? recordOf(`${n}`) : undefined));
      const [[got, listed], creations] = await Promise.all([reads, creates, close(pets)]);
      assert.deepEqual(got, pet, "get, asked before close,");
      assert.deepEqual(listed, [pet], "the list, asked before close,");
      if (!storage.reopen) return;
      const created = [pet, ...creations.map((creation) => plain(creation.pet))];
      assert.deepEqual(await list(await reopen()), inOrder(created), "the list, after close and a restart,");
    },
  }),
  contractCase({
    name: "lets the process end",
    rule: "close ends every use of the storage: it leaves nothing that keeps the process from ending.",
    needs: ["useAndClose"],
    async check(_pets, { storage }) {
      const ended = await storage.useAndClose?.();
      assert.equal(ended, true, "whether a process that had closed the storage ended by itself");
    },
  }),
  contractCase({
    name: "keeps everything over a restart",
    rule: "A pet that create answered is durable: after a restart it is exactly as it was, and so is its idempotency record.",
    needs: ["reopen"],
    async check(pets, { reopen, close }) {
      for (const categoryId of AWKWARD_INT64S) await pets.create(somePet({ categoryId }));
      for (const name of Object.values(AWKWARD_NAMES)) await create(pets, { name, status: "pending" });
      const keyed = plain((await pets.create(somePet({ status: "sold" }), recordOf("key"))).pet);
      const before = await list(pets);
      await close(pets);
      for (const round of [1, 2, 3]) {
        const later = await reopen();
        assert.deepEqual(await list(later), before, `the list after restart ${round}`);
        assert.deepEqual(await get(later, keyed.id), keyed, `get after restart ${round}`);
        const again = await later.create(somePet({ name: "other" }), recordOf("key"));
        assert.deepEqual(
          plain(again.pet),
          keyed,
          `the pet that a create repeated after restart ${round} answers`,
        );
        assert.equal(again.replayed, "fingerprint", `the fingerprint after restart ${round}`);
        await close(later);
      }
    },
  }),
  contractCase({
    name: "keeps everything over a death",
    rule: "A pet that create answered is durable, even if the process is killed the moment after.",
    needs: ["createAndDie", "reopen"],
    async check(pets, { storage, reopen, close }) {
      await close(pets);
      const wanted = Array.from({ length: 20 }, (_, n) => somePet({ name: `pet ${n}` }));
      const answered = ((await storage.createAndDie?.(wanted)) ?? []).map(plain);
      assert.equal(answered.length, 20, "the number of pets answered before the process was killed");
      const later = await reopen();
      assert.deepEqual(await list(later), inOrder(answered), "the list, after the process was killed,");
      const next = await create(later);
      assert.deepEqual(await list(later), inOrder([...answered, next]), "the list, with a pet more,");
    },
  }),
  contractCase({
    name: "shows each what the other stored",
    rule: "Every later get, list and repeated create knows a pet that create answered, on any instance of the storage.",
    needs: ["shared", "reopen"],
    async check(pets, { reopen }) {
      const other = await reopen();
      const created: Pet[] = [];
      for (let n = 0; n < 10; n++) {
        const [from, to] = n % 2 ? [pets, other] : [other, pets];
        const pet = plain((await from.create(somePet({ categoryId: BigInt(n) }), recordOf(`key ${n}`))).pet);
        created.push(pet);
        assert.deepEqual(await get(to, pet.id), pet, "get, by the other instance,");
        assert.deepEqual(await list(to), inOrder(created), "the list, by the other instance,");
        assert.deepEqual(await list(from), inOrder(created), "the list, by the same instance,");
        const again = await to.create(somePet(), recordOf(`key ${n}`, "another"));
        assert.deepEqual(
          plain(again.pet),
          pet,
          "the pet that a create repeated on the other instance answers",
        );
        assert.equal(again.replayed, "fingerprint", "the fingerprint that the other instance answers");
      }
    },
  }),
  contractCase({
    name: "lets one close alone",
    rule: "close ends only its own instance; another one on the same storage works on.",
    needs: ["shared", "reopen"],
    async check(pets, { reopen, close }) {
      const other = await reopen();
      const pet = await create(pets);
      await close(pets);
      await other.ping();
      assert.deepEqual(await get(other, pet.id), pet, "get, after the other instance was closed,");
      const second = await create(other);
      assert.deepEqual(await list(other), inOrder([pet, second]), "the list, after the other was closed,");
    },
  }),
];
