import assert from "node:assert/strict";
import type { Pet } from "../../domain/pet.js";
import type { Case, Instance } from "../contract-case.js";
import {
  AWKWARD_INT64S,
  AWKWARD_NAMES,
  atOnce,
  create,
  expectList,
  expectReplayed,
  expectShown,
  get,
  inOrder,
  list,
  plain,
  recordOf,
  somePet,
} from "../samples.js";
import { expectSame } from "../seen.js";

/** Cases: ping, close, restarts, the death of the process, and several instances on one storage. */
export const LIFECYCLE_CASES: readonly Case[] = [
  {
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    async check({ pets, ping }) {
      expectSame("ping()", await ping(), undefined);
      await create(pets);
      await ping();
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
        await expectList(later.pets, {}, before, `, after restart ${round},`);
        await expectShown(later.pets, keyed, `, after restart ${round},`);
        await expectReplayed(later.pets, keyed, recordOf("key"), `, after restart ${round}`);
      }
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
      expectSame("get(…), asked before close,", got, pet);
      expectSame("list(…), asked before close,", listed, [pet]);
      if (!storage.reopen) return;
      const wanted = inOrder([pet, ...created]);
      await expectList((await reopen()).pets, {}, wanted, ", after close and a restart,");
    },
  },
  {
    name: "makes nothing that it may not make",
    rule: "If mayMake is false, open rejects if the storage is not there.",
    needs: ["openMissing"],
    async check(_instance, { storage }) {
      const opened = await storage.openMissing?.().catch(() => undefined);
      await opened?.close();
      const call = "open(…), of a storage that is not there, with mayMake: false";
      expectSame(call, opened ? "resolved" : "rejected", "rejected");
    },
  },
  {
    name: "tells storages apart by identity",
    rule: "identity is alike for two instances of one storage, and different for two storages; undefined if the storage cannot tell.",
    needs: ["reopen"],
    async check(instance, { open, restart }) {
      await create(instance.pets);
      const first = instance.identity;
      await instance.close();
      const other = await open();
      await create(other.pets);
      const { identity } = other;
      const told = first !== undefined || identity !== undefined;
      assert(!told || first !== identity, "open(…), of two storages, gave them one identity");
      const again = await restart(other);
      await again.ping();
      expectSame("open(…), of one storage twice: the second identity", again.identity, identity);
    },
  },
  {
    name: "lets the process end",
    rule: "close ends every use of the storage: it leaves nothing that keeps the process from ending.",
    needs: ["useAndClose"],
    async check(_instance, { storage }) {
      const ended = await storage.useAndClose?.();
      expectSame("close(), in another process: whether that ended by itself", ended, true);
    },
  },
  {
    name: "keeps everything over a death",
    rule: "A pet that create answered is durable, and so is its idempotency record, even if the process is killed the moment after.",
    needs: ["createAndDie", "reopen"],
    async check({ close }, { storage, reopen }) {
      await close();
      const wanted = Array.from({ length: 20 }, (_, n) => somePet({ name: `pet ${n}` }));
      // Every storage gets creates without a record, too.
      const records = Array.from({ length: 10 }, (_, n) => recordOf(`key ${n}`));
      const answered = ((await storage.createAndDie?.(wanted, records)) ?? []).map(plain);
      expectSame("create(…), in another process: the number of pets", answered.length, 20);
      const later = (await reopen()).pets;
      await expectList(later, {}, inOrder(answered), ", after the process was killed,");
      for (const [n, record] of records.entries()) {
        await expectReplayed(later, answered[n] as Pet, record, ", after the process was killed");
      }
      const next = await create(later);
      await expectList(later, {}, inOrder([...answered, next]), ", with a pet more,");
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
        await expectShown(to, pet, ", of a pet of the other instance,");
        await expectReplayed(to, pet, record, " of the other instance");
        for (const instance of [to, from]) await expectList(instance, {}, inOrder(created));
      }
      await close();
      await ping();
      created.push(await create(other));
      await expectList(other, {}, inOrder(created), ", after the other instance was closed,");
    },
  },
];
