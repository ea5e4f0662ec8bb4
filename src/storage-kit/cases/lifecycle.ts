import assert from "node:assert/strict";
import { maskPassword } from "../../application/storage-adapter.js";
import type { Pet } from "../../domain/pet.js";
import { create, inOrder, list, replays, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, oneTo, recordOf, somePet } from "../samples.js";

export const LIFECYCLE_CASES: readonly Case[] = [
  {
    name: "takes its URLs",
    rule: "check returns undefined for a URL that open accepts; mask, or petstore if there is none, masks a password before the host.",
    needs: ["urls"],
    async check(_storage, { tested }) {
      const { adapter, last } = tested.urls ?? assert.fail();
      const fault = adapter.check(last());
      assert(!fault, `check("${last()}") returned "${fault}"`);
      const secret = last().replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?/i, "$1user:s3cret@");
      const shown = adapter.mask?.(secret) ?? maskPassword(secret);
      assert(adapter.check(secret) || !shown.includes("s3cret"), `mask("${secret}") shows the password`);
    },
  },
  {
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    async check({ ping }) {
      await ping();
    },
  },
  {
    name: "keeps everything over a restart",
    rule: "A pet that create resolved to is durable: after a restart it is as it was, and so is its idempotency record.",
    needs: ["reopen"],
    async check(storage, { restart }) {
      for (const categoryId of AWKWARD_INT64S) await create(storage.pets, { categoryId });
      for (const name of AWKWARD_NAMES) await create(storage.pets, { name, status: "pending" });
      const keyed = await create(storage.pets, { status: "sold" }, recordOf("key"));
      const before = structuredClone(await list(storage.pets));
      const { pets } = await restart(storage);
      same(await list(pets), before);
      await shows(pets, keyed);
      await replays(pets, keyed, recordOf("key"));
    },
  },
  {
    name: "finishes before it closes",
    rule: "close first finishes every operation that was called before it.",
    async check({ pets, ping, close }, { tested, reopen }) {
      const pet = await create(pets);
      const reads = Promise.all([pets.get(pet.id), list(pets, { limit: 1 }), ping()]);
      const creates = atOnce(20, (n) => create(pets, {}, n % 2 ? recordOf(`${n}`) : undefined));
      const [[got, listed], created] = await Promise.all([reads, creates, close()]);
      same([got, listed], [pet, [pet]]);
      if (tested.reopen) same(await list((await reopen()).pets), inOrder([pet, ...created]));
    },
  },
  {
    name: "makes nothing that it may not make",
    rule: "If mayMake is false, open rejects if the storage does not exist, and creates nothing; it opens one that exists.",
    needs: ["openMissing", "reopen"],
    async check({ pets, close }, { tested, reopen }) {
      const openMissing = async () => (await tested.openMissing?.())?.close();
      await assert.rejects(openMissing(), "open(…) of a storage that does not exist");
      // Resolves if the first call created it.
      await assert.rejects(openMissing(), "open(…), called again, of a storage that does not exist");
      const pet = await create(pets);
      await close();
      same(await list((await reopen(false)).pets), [pet]);
    },
  },
  {
    name: "lets the process end",
    rule: "close releases every resource of the storage: nothing keeps the process from exiting.",
    needs: ["useAndClose"],
    async check(_storage, { tested }) {
      assert(await tested.useAndClose?.(), "after close() another process did not exit by itself");
    },
  },
  {
    name: "keeps everything over a death",
    rule: "A pet that create resolved to is durable, and so is its idempotency record, even if the process is killed immediately afterwards.",
    needs: ["createAndDie", "reopen"],
    async check({ close }, { tested, reopen }) {
      await close();
      const sent = oneTo(20).map((categoryId) => somePet({ categoryId }));
      const records = oneTo(10).map((n) => recordOf(`key ${n}`));
      const created = structuredClone((await tested.createAndDie?.(sent, records)) ?? []);
      assert.equal(created.length, 20, `another process got ${created.length} pets for 20 creates`);
      const { pets } = await reopen();
      same(await list(pets), inOrder(created));
      for (const [n, record] of records.entries()) await replays(pets, created[n] as Pet, record);
      const next = await create(pets);
      same(await list(pets), inOrder([...created, next]));
    },
  },
  {
    name: "shows each what the other stored",
    rule: "A pet that create resolved to is returned by every later get and list, and every repeated create, on each instance of the storage. close closes only its own instance.",
    needs: ["shared", "reopen"],
    async check(one, { reopen }) {
      const other = await reopen();
      const created: Pet[] = [];
      for (const n of oneTo(10)) {
        const [from, to] = n % 2n ? [one, other] : [other, one];
        const pet = await create(from.pets, { categoryId: n }, recordOf(`key ${n}`));
        created.push(pet);
        await shows(to.pets, pet);
        await replays(to.pets, pet, recordOf(`key ${n}`));
        same(await list(from.pets), inOrder(created));
      }
      await one.close();
      await other.ping();
      same(await list(other.pets), inOrder(created));
    },
  },
];
