import assert from "node:assert/strict";
import { maskPassword } from "../../application/storage-adapter.js";
import type { Pet } from "../../domain/pet.js";
import { checkReadings, create, inOrder, list, rejects, replays, same, shows } from "../checks.js";
import type { Case } from "../contract-case.js";
import { show } from "../messages.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, oneTo, recordOf, somePet } from "../samples.js";

export const LIFECYCLE_CASES: readonly Case[] = [
  {
    name: "takes its URLs",
    rule: "check returns undefined for a URL that open accepts; a password before the host is masked, by mask or else by petstore; mask also masks a password among the options, if check accepts it.",
    needs: ["check"],
    async check(_storage, { tested: { adapter }, url }) {
      const mask = (url: string) => adapter.mask?.(url) ?? maskPassword(url);
      const fault = adapter.check?.(url);
      assert(!fault, `check("${url}") returned "${fault}"`);
      const secret = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?/i, "$1user:s3cret@");
      const option = `${url}${url.includes("?") ? "&" : "?"}password=s3cret`;
      // Only an adapter with its own mask accepts secrets elsewhere.
      for (const tried of url.includes("://") ? [secret, ...(adapter.mask ? [option] : [])] : []) {
        const shown = adapter.check?.(tried) ? "" : mask(tried);
        assert(!shown.includes("s3cret"), `mask("${tried}") returned "${shown}", which shows the password`);
      }
      const [, name, value = ""] = /[?&]([^=&]*(?:password|secret|token)[^=&]*)=([^&#]+)/i.exec(url) ?? [];
      assert(!name || !mask(url).includes(value), `mask shows the value of the option ${name}`);
    },
  },
  {
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    check: ({ ping }) => ping(),
  },
  {
    name: "adds readings that can be served",
    rule: "A reading has a Prometheus name that nothing else uses, a help text and a type; read returns a number and never throws.",
    async check({ pets }, { readings }) {
      checkReadings(readings);
      await create(pets);
      checkReadings(readings);
    },
  },
  {
    name: "keeps everything over a restart",
    rule: "A pet that create resolved to is durable: after a restart it and its idempotency record are unchanged.",
    needs: ["reopen"],
    async check(storage, session) {
      for (const categoryId of AWKWARD_INT64S) await create(storage.pets, { categoryId });
      for (const name of AWKWARD_NAMES) await create(storage.pets, { name, status: "pending" });
      const keyed = await create(storage.pets, { status: "sold" }, recordOf("key"));
      const before = structuredClone(await list(storage.pets));
      const { pets } = await session.restart(storage);
      same(await list(pets), before);
      await shows(pets, keyed, recordOf("key"));
    },
  },
  {
    name: "finishes before it closes",
    rule: "close first finishes every operation that was called before it.",
    async check({ pets, ping, close }, session) {
      const pet = await create(pets);
      const reads = Promise.all([pets.get(pet.id), list(pets, { limit: 1 }), ping()]);
      const creates = atOnce(20, (n) => create(pets, {}, n % 2 ? recordOf(`${n}`) : undefined));
      const [[got, listed], created] = await Promise.all([reads, creates, close()]);
      same([got, listed], [pet, [pet]]);
      if (session.isKept) same(await list((await session.open()).pets), inOrder([pet, ...created]));
    },
  },
  {
    name: "makes nothing that it may not make",
    rule: "If mayMake is false, open rejects with an Error for a missing storage, and creates nothing; it opens an existing storage, and writes nothing: pets, records and the highest id stay, however often it is opened.",
    needs: ["reopen"],
    async check({ pets, close }, session) {
      const { tested } = session;
      const missing = tested.missingUrl?.() ?? (await session.help("newUrl()", () => tested.newUrl()));
      // The second call resolves if the first one created the storage.
      for (const call of ["first", "second"]) {
        const what = `the ${call} open({ mayMake: false }) of ${missing}, which does not exist,`;
        await rejects(what, session.open(false, missing), "an Error", (error) => error instanceof Error);
      }
      const pet = await create(pets, {}, recordOf("key"));
      await close();
      let before: unknown;
      for (let round = 0; round < 3; round++) {
        const { pets, archive, close } = await session.open(false);
        same(await list(pets), [pet]);
        const contents = [await archive?.readPets({ after: 0n, limit: 10 }), await archive?.highestId()];
        before ??= contents;
        same(contents, before);
        await close();
      }
      await replays((await session.open()).pets, pet, recordOf("key"));
    },
  },
  {
    name: "lets the process end",
    rule: "close releases every resource of the storage: nothing keeps the process from exiting.",
    needs: ["useAndClose"],
    async check({ close }, { tested, url }) {
      await close();
      const hasEnded = await tested.useAndClose?.(url);
      assert(hasEnded, "after close() another process did not exit by itself");
    },
  },
  {
    name: "keeps everything over a death",
    rule: "A pet that create resolved to is durable, and so is its idempotency record, even if the process is killed immediately afterwards. durable and shared are true claims: pets outlive the process; several processes use the storage at once, and each sees the pets of the others. Without both claims a storage contains no pet of another process.",
    needs: ["createAndDie"],
    async check(storage, session) {
      const { tested, url, isKept } = session;
      const { shared } = tested.adapter;
      const mine = await create(storage.pets, { name: "mine" }, recordOf("mine"));
      if (!shared) await storage.close();
      const sent = oneTo(20).map((categoryId) => somePet({ categoryId }));
      const records = [recordOf("mine"), ...oneTo(10).map((n) => recordOf(`key ${n}`))];
      const [first, ...created] = structuredClone((await tested.createAndDie?.(url, sent, records)) ?? []);
      assert.equal(created.length, 19, `another process got ${created.length + 1} pets for 20 creates`);
      const { pets } = shared ? storage : await session.open();
      if (!isKept) {
        const foreign = (await list(pets)).find(({ name }) => name !== "mine");
        return assert(!foreign, `durable and shared are false, but another process stored ${show(foreign)}`);
      }
      const found = [mine, ...created];
      same(first, mine);
      same(await list(pets), inOrder(found));
      for (const [n, record] of records.entries()) await replays(pets, found[n] as Pet, record);
      const next = await create(pets);
      same(await list(pets), inOrder([...found, next]));
    },
  },
  {
    name: "shows each what the other stored",
    rule: "A pet that create resolved to is returned by every later get, list and retry, on each instance of the storage. close closes only its own instance.",
    needs: ["shared", "reopen"],
    async check(one, session) {
      const other = await session.open();
      const created: Pet[] = [];
      for (const n of oneTo(10)) {
        const [from, to] = n % 2n ? [one, other] : [other, one];
        const record = recordOf(`key ${n}`);
        const pet = await create(from.pets, { categoryId: n }, record);
        created.push(pet);
        await shows(to.pets, pet, record);
        same(await list(from.pets), inOrder(created));
      }
      await one.close();
      await other.ping();
      same(await list(other.pets), inOrder(created));
    },
  },
];
