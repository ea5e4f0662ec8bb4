import { expect } from "chai";
import type { Creation, PetRepository } from "../../src/application/ports/pet-repository.js";
import { INT64_MAX, INT64_MIN, type NewPet, PET_STATUSES, type Pet } from "../../src/domain/pet.js";

/** How the suite gets at an implementation. What `open` made the caller removes, in an `afterEach` of its own. */
export interface StorageUnderTest {
  /** Opens a storage that is new and empty. The suite closes every instance it was given. */
  open(): Promise<PetRepository>;
  /**
   * Opens once more the storage that was opened last, while the first instance is still open or after it was
   * closed. Left out where the storage does not outlive its instance; what needs it is then not registered.
   */
  reopen?(): Promise<PetRepository>;
}

const AWKWARD_NAMES: Record<string, string> = {
  "a family emoji joined by ZWJ": "👨‍👩‍👧‍👦 Rex 🏳️‍🌈",
  "right-to-left text with direction marks": "\u200fכֶּלֶב \u202eمرحبا\u202c",
  "255 code points beyond the basic plane": "🐾".repeat(255),
  "quotes of every kind": `'"\`´„“«»'';--`,
  "backslashes and escapes that are none": "\\ \\n \\u0000 \\\\ %s %00 $x $1",
  "a prototype's name": "__proto__",
  "a query operator": "$where",
  "a path": "a.b",
  "a wildcard": "%_*?[a-z]",
  "white space around": " \u00a0Rex\u2003 ",
  "a decomposed letter, which must not be composed": "e\u0301\u00f1n\u0303",
  "what looks like a number": "0123456789e5",
  "what looks like null": "null",
  "a byte order mark and noncharacters": "\ufeffRex\ufffe\uffff\u{10ffff}",
};

const AWKWARD_INT64S = [
  INT64_MIN,
  INT64_MIN + 1n,
  -(2n ** 53n) - 1n,
  -(2n ** 31n) - 1n,
  -1n,
  0n,
  1n,
  2n ** 31n,
  2n ** 32n + 1n,
  2n ** 53n + 1n,
  INT64_MAX - 1n,
  INT64_MAX,
];

/** Registers what every implementation of PetRepository owes, test by test. */
export function petRepositoryContract({ open, reopen }: StorageUnderTest): void {
  describe("keeps the contract of PetRepository", () => {
    let repository: PetRepository;
    let opened: PetRepository[];

    const track = async (opening: Promise<PetRepository>) => {
      const instance = await opening;
      opened.push(instance);
      return instance;
    };
    const close = async (instance: PetRepository) => {
      opened.splice(opened.indexOf(instance), 1);
      await instance.close();
    };

    beforeEach(async () => {
      opened = [];
      repository = await track(open());
    });

    afterEach(async () => {
      for (const instance of [...opened]) await close(instance);
    });

    /** Creates pets one after the other, with the statuses in turn. */
    async function createPets(count: number, statuses: readonly Pet["status"][] = PET_STATUSES) {
      const pets: Pet[] = [];
      for (let n = 0; n < count; n++) {
        const status = statuses[n % statuses.length] as Pet["status"];
        pets.push((await repository.create(somePet({ name: `pet ${n}`, status }))).pet);
      }
      return pets;
    }

    const listAll = (instance = repository) => list(instance, { limit: 10_000 });

    describe("create, get and list", () => {
      it("answers the pet as it was sent, with its id, and shows it to get and list from then on", async () => {
        for (const status of PET_STATUSES) {
          const sent = somePet({ status });
          const { pet, replayed } = await repository.create(sent);
          expect(replayed).to.equal(undefined);
          expect(pet).to.deep.equal({ ...sent, id: pet.id });
          expect(await repository.get(pet.id)).to.deep.equal(pet);
          expect((await listAll()).at(-1)).to.deep.equal(pet);
        }
      });

      it("stores what was sent when create was called, whatever its caller does to the object then", async () => {
        const sent = { name: "Rex", categoryId: 1n, status: "sold" } satisfies NewPet;
        const creating = repository.create(sent);
        Object.assign(sent, { name: "changed", categoryId: 2n, status: "pending" });
        const { pet } = await creating;
        expect(pet).to.deep.equal({ id: pet.id, name: "Rex", categoryId: 1n, status: "sold" });
        expect(await repository.get(pet.id)).to.deep.equal(pet);
      });

      it("hands out copies: what is done to an answer changes nothing that is stored", async () => {
        const record = { key: "key", fingerprint: "fingerprint" };
        const { pet } = await repository.create(somePet(), record);
        const before = { ...pet };
        spoil(pet);
        spoil(await repository.get(before.id));
        spoil((await repository.create(somePet(), record)).pet);
        const listed = await listAll();
        listed.forEach(spoil);
        listed.length = 0;
        expect(await repository.get(before.id)).to.deep.equal(before);
        expect(await listAll()).to.deep.equal([before]);
        expect((await repository.create(somePet(), record)).pet).to.deep.equal(before);
      });

      it("keeps pets apart that are alike in everything", async () => {
        const first = await repository.create(somePet());
        const second = await repository.create(somePet());
        expect(second.pet.id).to.not.equal(first.pet.id);
        expect(await listAll()).to.have.length(2);
      });

      it("is exact over all of int64 in categoryId", async () => {
        for (const categoryId of AWKWARD_INT64S) {
          const { pet } = await repository.create(somePet({ categoryId }));
          expect(pet.categoryId).to.equal(categoryId);
          expect((await repository.get(pet.id))?.categoryId).to.equal(categoryId);
        }
        expect((await listAll()).map((pet) => pet.categoryId)).to.deep.equal(AWKWARD_INT64S);
      });

      for (const [what, name] of Object.entries(AWKWARD_NAMES)) {
        it(`keeps a name code unit for code unit: ${what}`, async () => {
          const { pet } = await repository.create(somePet({ name }));
          expect(pet.name).to.equal(name);
          expect((await repository.get(pet.id))?.name).to.equal(name);
          expect((await listAll())[0]?.name).to.equal(name);
        });
      }
    });

    describe("absence", () => {
      const ABSENT = [
        0n,
        -1n,
        2n ** 31n,
        2n ** 32n + 1n,
        2n ** 53n + 1n,
        INT64_MAX,
        INT64_MIN,
        INT64_MIN + 1n,
      ];

      it("has no pet to get or list while it is empty", async () => {
        for (const id of [1n, ...ABSENT]) expect(await repository.get(id)).to.equal(undefined);
        for (const status of [undefined, ...PET_STATUSES]) {
          expect(await list(repository, { status })).to.deep.equal([]);
        }
      });

      it("answers get with undefined for any int64 that is no pet's id", async () => {
        const { pet } = await repository.create(somePet());
        // Ids that would be the pet's, were they cut to 32 bits or rounded to a double.
        const near = [pet.id + 2n ** 32n, pet.id + INT64_MIN, pet.id + 2n ** 53n];
        for (const id of [pet.id - 1n, -pet.id, pet.id + 10_000_000n, ...near, ...ABSENT]) {
          expect(await repository.get(id), `${id}`).to.equal(undefined);
        }
      });
    });

    describe("list", () => {
      it("is in ascending order of id", async () => {
        const pets = await createPets(12);
        expect(await listAll()).to.deep.equal(pets);
        expect(ids(pets)).to.deep.equal(ascending(ids(pets)));
      });

      it("shows only pets with the status that is asked for", async () => {
        const pets = await createPets(10);
        for (const status of PET_STATUSES) {
          const wanted = pets.filter((pet) => pet.status === status);
          expect(await list(repository, { status })).to.deep.equal(wanted);
        }
      });

      it("shows only pets whose id is greater than `after`, with a status and without", async () => {
        const pets = await createPets(9);
        const last = pets.at(-1) as Pet;
        for (const after of [INT64_MIN, -1n, 0n, ...ids(pets), last.id + 1n, 2n ** 53n + 1n, INT64_MAX]) {
          for (const status of [undefined, ...PET_STATUSES]) {
            const wanted = pets.filter(
              (pet) => pet.id > after && (status === undefined || pet.status === status),
            );
            expect(await list(repository, { status, after }), `${status} after ${after}`).to.deep.equal(
              wanted,
            );
          }
        }
      });

      it("answers exactly `limit` pets while there are that many, and what there is where there are fewer", async () => {
        const pets = await createPets(6, ["sold"]);
        for (const status of [undefined, "sold"] as const) {
          for (const limit of [1, 2, 5, 6, 7, 101]) {
            expect(await list(repository, { status, limit })).to.deep.equal(pets.slice(0, limit));
          }
        }
      });

      it("fills the page also where the pets with the status are few and far between", async () => {
        const pets = await createPets(60, ["sold", ...Array<"available">(9).fill("available")]);
        const sold = pets.filter((pet) => pet.status === "sold");
        expect(await list(repository, { status: "sold", limit: 5 })).to.deep.equal(sold.slice(0, 5));
        const after = sold[1]?.id as bigint;
        expect(await list(repository, { status: "sold", limit: 5, after })).to.deep.equal(sold.slice(2));
      });

      it("shows a pet that exists during a whole walk exactly once, whatever is created meanwhile", async () => {
        const before = await createPets(30);
        const created: Pet[] = [];
        const createOne = async () => created.push((await repository.create(somePet())).pet);
        const seen: Pet[] = [];
        // Two pets arrive with each page of three, so the walk gets past those that were there before.
        for (let round = 0; round < 20; round++) {
          const after = seen.at(-1)?.id ?? 0n;
          const [page] = await Promise.all([list(repository, { limit: 3, after }), createOne(), createOne()]);
          seen.push(...page);
        }
        expect(ids(seen)).to.deep.equal(ascending(ids(seen)));
        expect(new Set(ids(seen)).size).to.equal(seen.length);
        expect(seen.slice(0, 30)).to.deep.equal(before);
        expect(seen.length).to.be.greaterThan(30);
        for (const pet of seen.slice(30)) expect(created).to.deep.include(pet);
      });
    });

    describe("ids", () => {
      it("are unique, from 1 upwards and below 2^53, also for creates that arrive at once", async () => {
        const creations = await Promise.all(
          Array.from({ length: 200 }, (_, n) => repository.create(somePet({ categoryId: BigInt(n) }))),
        );
        const given = creations.map(({ pet }) => pet.id);
        expect(new Set(given).size).to.equal(200);
        for (const id of given) {
          expect(id).to.be.a("bigint");
          expect(id >= 1n && id < 2n ** 53n, `${id}`).to.equal(true);
        }
        // Each caller was answered its own pet.
        expect(creations.map(({ pet }) => pet.categoryId)).to.deep.equal(creations.map((_, n) => BigInt(n)));
        const stored = creations.map(({ pet }) => pet).sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(await listAll()).to.deep.equal(stored);
      });
    });

    describe("idempotency", () => {
      it("stores one pet where the same key races 50 times, and answers all with it", async () => {
        const record = { key: "key", fingerprint: "fingerprint" };
        const creations = await Promise.all(
          Array.from({ length: 50 }, () => repository.create(somePet(), record)),
        );
        const [stored] = await listAll();
        expect(await listAll()).to.have.length(1);
        for (const { pet } of creations) expect(pet).to.deep.equal(stored);
        const { fresh, replays } = count(creations, "fingerprint");
        expect({ fresh, replays }).to.deep.equal({ fresh: 1, replays: 49 });
      });

      it("lets one pet win where different bodies race under one key, and tells all which", async () => {
        const creations = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            repository.create(somePet({ categoryId: BigInt(n) }), { key: "key", fingerprint: `${n}` }),
          ),
        );
        const [stored] = await listAll();
        expect(await listAll()).to.have.length(1);
        for (const { pet } of creations) expect(pet).to.deep.equal(stored);
        const { fresh, replays } = count(creations, `${stored?.categoryId}`);
        expect({ fresh, replays }).to.deep.equal({ fresh: 1, replays: 19 });
      });

      it("answers a repeated create with the pet and the fingerprint of the first, and stores nothing", async () => {
        const record = { key: "key", fingerprint: "first" };
        const { pet } = await repository.create(somePet({ status: "sold" }), record);
        for (const fingerprint of ["first", "another"]) {
          const again = await repository.create(somePet({ name: "other" }), { key: "key", fingerprint });
          expect(again).to.deep.equal({ pet, replayed: "first" });
        }
        expect(await listAll()).to.deep.equal([pet]);
      });

      it("keeps keys apart, letter for letter, of up to 64 characters", async () => {
        const long = "k".repeat(63);
        const keys = [
          "key",
          "KEY",
          "key ",
          "__proto__",
          "constructor",
          "$where",
          "a.b",
          "a",
          `${long}1`,
          `${long}2`,
        ];
        for (const key of keys) {
          const { replayed } = await repository.create(somePet({ name: key }), { key, fingerprint: long });
          expect(replayed, key).to.equal(undefined);
        }
        for (const key of keys) {
          const { pet, replayed } = await repository.create(somePet(), { key, fingerprint: "another" });
          expect(pet.name).to.equal(key);
          expect(replayed).to.equal(long);
        }
        expect(await listAll()).to.have.length(keys.length);
      });
    });

    describe("ping and close", () => {
      it("resolves ping where the storage can be used", async () => {
        await repository.ping();
      });

      it("finishes what was asked before it closes", async () => {
        const { pet } = await repository.create(somePet());
        const answers = Promise.all([
          repository.get(pet.id),
          list(repository, { limit: 1 }),
          ...Array.from({ length: 20 }, () => repository.create(somePet())),
        ]);
        await close(repository);
        const [got, listed, ...creations] = await answers;
        expect(got).to.deep.equal(pet);
        expect(listed).to.deep.equal([pet]);
        if (reopen) {
          const stored = ids(await listAll(await track(reopen())));
          expect(stored).to.include.members(creations.map((creation) => creation.pet.id));
        }
      });
    });

    if (!reopen) return;

    describe("over a restart", () => {
      it("keeps every pet, exactly, and goes on with ids that were never given", async () => {
        for (const categoryId of AWKWARD_INT64S) await repository.create(somePet({ categoryId }));
        for (const name of Object.values(AWKWARD_NAMES)) await repository.create(somePet({ name }));
        const before = await listAll();
        await close(repository);
        repository = await track(reopen());
        expect(await listAll()).to.deep.equal(before);
        const { pet } = await repository.create(somePet());
        expect(ids(before)).to.not.include(pet.id);
        expect(await listAll()).to.have.length(before.length + 1);
      });

      it("keeps the idempotency records", async () => {
        const record = { key: "key", fingerprint: "fingerprint" };
        const { pet } = await repository.create(somePet(), record);
        await close(repository);
        repository = await track(reopen());
        expect(await repository.create(somePet(), record)).to.deep.equal({ pet, replayed: "fingerprint" });
        expect(await listAll()).to.deep.equal([pet]);
      });
    });

    describe("with two instances on one storage", () => {
      let other: PetRepository;

      beforeEach(async () => {
        other = await track(reopen());
      });

      it("shows each what the other was answered to have stored", async () => {
        const { pet } = await repository.create(somePet());
        expect(await other.get(pet.id)).to.deep.equal(pet);
        const { pet: second } = await other.create(somePet());
        const both = [pet, second].sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(await listAll(repository)).to.deep.equal(both);
        expect(await listAll(other)).to.deep.equal(both);
      });

      it("gives no id twice and loses no pet where both create at once", async () => {
        const creations = await Promise.all(
          Array.from({ length: 100 }, (_, n) => (n % 2 ? repository : other).create(somePet())),
        );
        const given = creations.map(({ pet }) => pet.id);
        expect(new Set(given).size).to.equal(100);
        expect(ids(await listAll())).to.have.members(given);
      });

      it("stores one pet where the same key races in both", async () => {
        const record = { key: "key", fingerprint: "fingerprint" };
        const creations = await Promise.all(
          Array.from({ length: 50 }, (_, n) => (n % 2 ? repository : other).create(somePet(), record)),
        );
        const stored = await listAll();
        expect(stored).to.have.length(1);
        for (const { pet } of creations) expect(pet).to.deep.equal(stored[0]);
        expect(count(creations, "fingerprint")).to.deep.equal({ fresh: 1, replays: 49 });
      });
    });
  });
}

function somePet(parts: Partial<NewPet> = {}): NewPet {
  return { name: "Rex", categoryId: 7n, status: "available", ...parts };
}

function list(
  repository: PetRepository,
  { status, after = 0n, limit = 100 }: { status?: Pet["status"] | undefined; after?: bigint; limit?: number },
): Promise<Pet[]> {
  return repository.list({ status, after, limit });
}

function ids(pets: readonly Pet[]): bigint[] {
  return pets.map((pet) => pet.id);
}

function ascending(values: readonly bigint[]): bigint[] {
  return [...values].sort((a, b) => (a < b ? -1 : 1));
}

/** How many creations were stored now, and how many were answered with this fingerprint. */
function count(creations: readonly Creation[], fingerprint: string): { fresh: number; replays: number } {
  return {
    fresh: creations.filter(({ replayed }) => replayed === undefined).length,
    replays: creations.filter(({ replayed }) => replayed === fingerprint).length,
  };
}

/** Changes a pet in place; where it is frozen, that is as good. */
function spoil(pet: Pet | undefined): void {
  if (pet) Reflect.set(pet, "name", "spoilt");
}
