import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePet, samePets } from "../expect.js";
import { atOnce, ids, inOrder, listAll, somePet } from "../samples.js";
import { onePet } from "./idempotency.js";

const SHARED = ["shared", "reopen"] as const;

/** Cases: several instances on one storage. Nothing may depend on the memory of one instance. */
export const TWO_INSTANCE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "shows each what the other stored",
    rule: "Every later get and list shows a pet that create answered, on any instance of the storage.",
    needs: SHARED,
    async check(pets, { reopen }) {
      const other = await reopen();
      const created = [];
      for (let round = 0; round < 5; round++) {
        for (const [from, to] of [
          [pets, other],
          [other, pets],
        ] as const) {
          const { pet } = await from.create(somePet({ categoryId: BigInt(created.length) }));
          created.push(pet);
          samePet(await to.get(pet.id), pet, "get, by the other instance,");
          samePets(await listAll(to), inOrder(created), "list, by the other instance,");
          samePets(await listAll(from), inOrder(created), "list, by the same instance,");
        }
      }
    },
  }),
  contractCase({
    name: "gives an id once among instances",
    rule: "An id is given once, by any number of processes at once, and no pet is lost.",
    needs: SHARED,
    async check(pets, { reopen }) {
      const other = await reopen();
      const creations = await atOnce(100, (n) =>
        (n % 2 ? pets : other).create(somePet({ categoryId: BigInt(n) })),
      );
      const created = creations.map(({ pet }) => pet);
      same(new Set(ids(created)).size, 100, "the number of ids given by two instances to 100 creates");
      samePets(await listAll(pets), inOrder(created), "the list of all pets");
    },
  }),
  contractCase({
    name: "stores one pet if a key races among instances",
    rule: "Any number of creates under one key, in any number of processes, store one pet, and all answer it.",
    needs: SHARED,
    async check(pets, { reopen }) {
      const other = await reopen();
      const record = { key: "key", fingerprint: "fingerprint" };
      const creations = await atOnce(50, (n) => (n % 2 ? pets : other).create(somePet(), record));
      await onePet(other, creations, () => "fingerprint");
    },
  }),
  contractCase({
    name: "recognises a key of the other instance",
    rule: "Every instance recognises a key as soon as its create was answered.",
    needs: SHARED,
    async check(pets, { reopen }) {
      const other = await reopen();
      for (let n = 0; n < 5; n++) {
        const record = { key: `key ${n}`, fingerprint: `${n}` };
        const [from, to] = n % 2 ? [pets, other] : [other, pets];
        const { pet } = await from.create(somePet(), record);
        const again = await to.create(somePet(), record);
        samePet(again.pet, pet, "the pet that the other instance answers");
        same(again.replayed, `${n}`, "the fingerprint that the other instance answers");
      }
    },
  }),
  contractCase({
    name: "lets one close alone",
    rule: "close ends only its own instance; another one on the same storage works on.",
    needs: SHARED,
    async check(pets, { reopen }) {
      const other = await reopen();
      const { pet } = await pets.create(somePet());
      await pets.close();
      await other.ping();
      samePet(await other.get(pet.id), pet, "get, after the other instance was closed,");
      const { pet: second } = await other.create(somePet());
      samePets(await listAll(other), inOrder([pet, second]), "list, after the other instance was closed,");
    },
  }),
];
