import { INT64_MAX, INT64_MIN, PET_STATUSES } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePets } from "../expect.js";
import { list, somePet } from "../samples.js";

const ABSENT = [
  0n,
  -1n,
  2n ** 31n,
  2n ** 32n + 1n,
  2n ** 53n + 1n,
  2n ** 62n,
  INT64_MAX,
  INT64_MIN,
  INT64_MIN + 1n,
];

/** Cases: pets that do not exist. */
export const ABSENCE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "begins empty",
    rule: "A new storage has no pet to get or list.",
    async check(pets) {
      for (const id of [1n, ...ABSENT]) same(await pets.get(id), undefined, `get(${id})`);
      for (const status of [undefined, ...PET_STATUSES]) {
        samePets(await list(pets, { status }), [], `the list by ${status ?? "any"} status`);
      }
    },
  }),
  contractCase({
    name: "answers undefined for no pet",
    rule: "get answers undefined for any int64 that is no pet's id.",
    async check(pets) {
      const { pet } = await pets.create(somePet());
      // Ids that become the pet's own if a storage cuts them to 32 bits or rounds them to a double.
      const near = [pet.id + 2n ** 32n, pet.id + INT64_MIN, pet.id + 2n ** 53n];
      for (const id of [pet.id - 1n, -pet.id, pet.id + 10_000_000n, ...near, ...ABSENT]) {
        same(await pets.get(id), undefined, `get(${id}), with one pet, whose id is ${pet.id},`);
      }
    },
  }),
];
