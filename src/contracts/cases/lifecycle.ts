import assert from "node:assert/strict";
import type { Pet } from "../../domain/pet.js";
import type { Case, Instance } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  assertReplayed,
  assertShown,
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
export const LIFECYCLE_CASES: readonly Case[] = [
  {
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    async check({ pets, ping }) {
      assert.equal(await ping(), undefined, "the answer to ping");
      await create(pets);
      await ping();
    },
  },
  {
    name: "finishes before it closes",
    rule: "close first finishes every operation that was asked before it.",
    async check({ pets, ping, close }, { storage, reopen }) {
      const pet = await create(pets);
      const reads = Promise.all([get(pets, pet.id), list(pets, { limit: 1 }), ping()]);
      const creates = atOnce(20, (n) => create(pets, {}, n % 2 ? recordOf(`${n}`) : undefined));
      const [[got, listed], created] = await Promise.all([reads, creates, close()]);
      assert.deepEqual(got, pet, "get, asked before close,");
      assert.deepEqual(listed, [pet], "the list, asked before close,");
      if (!storage.reopen) return;
      const wanted = inOrder([pet, ...created]);
      assert.deepEqual(await list((await reopen()).pets), wanted, "the list, after close and a restart,");
    },
  },
  {
    name: "lets the process end",
    rule: "close ends every use of the storage: it leaves nothing that keeps the process from ending.",
    needs: ["useAndClose"],
    async check(_instance, { storage }) {
      const ended = await storage.useAndClose?.();
      assert.equal(ended, true, "whether a process that had closed the storage ended by itself");
    },
  },
  {
    name: "keeps everything over a restart",
    rule: "A pet that create answered is durable: after a restart it is exactly as it was, and so is its idempotency record.",
    needs: ["reopen"],
    async check(instance, { restart }) {
      const { pets } = instance;
      for (const categoryId of AWKWARD_INT64S) await create(pets, { categoryId });
      for (const name of Object.values(AWKWARD_NAMES)) await create(pets, { name, status: "pending" });
      const keyed = await create(pets, { status: "sold" }, recordOf("key"));
      const before = await list(pets);
      let later: Instance = instance;
      for (const round of [1, 2, 3]) {
        later = await restart(later);
        assert.deepEqual(await list(later.pets), before, `the list after restart ${round}`);
        await assertShown(later.pets, keyed, `a pet after restart ${round}`);
        await assertReplayed(later.pets, keyed, recordOf("key"), `a pet after restart ${round}`);
      }
    },
  },
  {
    name: "keeps everything over a death",
    rule: "A pet that create answered is durable, even if the process is killed the moment after.",
    needs: ["createAndDie", "reopen"],
    async check({ close }, { storage, reopen }) {
      await close();
      const wanted = Array.from({ length: 20 }, (_, n) => somePet({ name: `pet ${n}` }));
      const answered = ((await storage.createAndDie?.(wanted)) ?? []).map(plain);
      assert.equal(answered.length, 20, "the number of pets answered before the process was killed");
      const later = (await reopen()).pets;
      assert.deepEqual(await list(later), inOrder(answered), "the list, after the process was killed,");
      const next = await create(later);
      assert.deepEqual(await list(later), inOrder([...answered, next]), "the list, with a pet more,");
    },
  },
  {
    name: "shows each what the other stored",
    rule: "Every later get, list and repeated create knows a pet that create answered, on any instance of the storage. close ends only its own instance.",
    needs: ["shared", "reopen"],
    async check({ pets, close }, { reopen }) {
      const { pets: other, ping } = await reopen();
      const created: Pet[] = [];
      for (let n = 0; n < 10; n++) {
        const [from, to] = n % 2 ? [pets, other] : [other, pets];
        const record = recordOf(`key ${n}`);
        const pet = await create(from, { categoryId: BigInt(n) }, record);
        created.push(pet);
        await assertShown(to, pet, "a pet of the other instance");
        await assertReplayed(to, pet, record, "a pet of the other instance");
        for (const instance of [to, from]) {
          assert.deepEqual(await list(instance), inOrder(created), "the list of all pets");
        }
      }
      await close();
      await ping();
      created.push(await create(other));
      const listed = await list(other);
      assert.deepEqual(listed, inOrder(created), "the list, after the other instance was closed,");
    },
  },
];
