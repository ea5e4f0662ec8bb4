import type { Pet } from "../../domain/pet.js";
import { type ContractCase, contractCase } from "../contract-case.js";
import { same, samePet, samePets } from "../expect.js";
import { AWKWARD_INT64S, AWKWARD_NAMES, atOnce, inOrder, list, listAll, somePet } from "../samples.js";

/** Cases: ping, close, restarts, and the death of the process. */
export const LIFECYCLE_CASES: readonly ContractCase[] = [
  contractCase({
    name: "resolves ping",
    rule: "ping resolves if the storage can be used now.",
    async check(pets) {
      same(await pets.ping(), undefined, "the answer to ping");
      await pets.create(somePet());
      await pets.ping();
    },
  }),
  contractCase({
    name: "finishes before it closes",
    rule: "close first finishes every operation that was asked before it.",
    async check(pets, { storage, reopen }) {
      const { pet } = await pets.create(somePet());
      const reads = Promise.all([pets.get(pet.id), list(pets, { limit: 1 }), pets.ping()]);
      const creates = atOnce(20, (n) =>
        pets.create(somePet(), n % 2 ? { key: `${n}`, fingerprint: "f" } : undefined),
      );
      const [[got, listed], creations] = await Promise.all([reads, creates, pets.close()]);
      samePet(got, pet, "get, asked before close,");
      samePets(listed, [pet], "list, asked before close,");
      if (!storage.reopen) return;
      const created = [pet, ...creations.map((creation) => creation.pet)];
      samePets(await listAll(await reopen()), inOrder(created), "the list, after close and a restart,");
    },
  }),
  contractCase({
    name: "lets the process end",
    rule: "close ends every use of the storage: it leaves nothing that keeps the process from ending.",
    needs: ["useAndClose"],
    async check(_pets, { storage }) {
      same(
        await storage.useAndClose?.(),
        true,
        "whether a process that had closed the storage ended by itself",
      );
    },
  }),
  contractCase({
    name: "keeps everything over a restart",
    rule: "A pet that create answered is durable: after a restart it is exactly as it was.",
    needs: ["reopen"],
    async check(pets, { reopen }) {
      for (const categoryId of AWKWARD_INT64S) await pets.create(somePet({ categoryId }));
      for (const name of Object.values(AWKWARD_NAMES))
        await pets.create(somePet({ name, status: "pending" }));
      const before = await listAll(pets);
      await pets.close();
      for (const round of [1, 2, 3]) {
        const later = await reopen();
        samePets(await listAll(later), before, `the list after restart ${round}`);
        samePet(await later.get((before[0] as Pet).id), before[0] as Pet, `get after restart ${round}`);
        await later.close();
      }
    },
  }),
  contractCase({
    name: "keeps everything over a death",
    rule: "A pet that create answered is durable, even if the process is killed the moment after.",
    needs: ["createAndDie", "reopen"],
    async check(pets, { storage, reopen }) {
      await pets.close();
      const wanted = Array.from({ length: 20 }, (_, n) => somePet({ name: `pet ${n}` }));
      const answered = (await storage.createAndDie?.(wanted)) as Pet[];
      same(
        answered.length,
        wanted.length,
        "the number of pets that the process was answered before it was killed",
      );
      const later = await reopen();
      samePets(await listAll(later), inOrder(answered), "the list, after the process was killed,");
      const { pet } = await later.create(somePet());
      samePets(await listAll(later), inOrder([...answered, pet]), "the list, with a pet more,");
    },
  }),
];
