import assert from "node:assert/strict";
import {
  type ArchivedPet,
  asArchive,
  isPetConflict,
  type PetArchive,
} from "../../application/ports/pet-archive.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { PET_STATUSES } from "../../domain/pet.js";
import { type CaseParts, type ContractCase, contractCase } from "../contract-case.js";
import { same, sameInOrder } from "../expect.js";
import { somePet } from "../samples.js";

export type Archive = PetRepository & PetArchive;

/** Makes a case for storages that are archives. */
export function archiveCase({ name, rule, needs = [], check }: CaseParts<Archive>): ContractCase {
  return contractCase({
    name,
    rule,
    needs: ["archive", ...needs],
    check: (pets, instances) => check(toArchive(pets), instances),
  });
}

export function toArchive(pets: PetRepository): Archive {
  const archive = asArchive(pets);
  assert(archive, "the repository lacks a method of PetArchive");
  return archive;
}

/** Pets with the ids given; every second one has a record. */
export function archivedPets(ids: readonly bigint[]): ArchivedPet[] {
  return ids.map((id, n) => ({
    pet: { ...somePet({ name: `pet ${id}`, categoryId: id, status: PET_STATUSES[n % 3] ?? "sold" }), id },
    record: n % 2 ? { key: `key ${id}`, fingerprint: `fingerprint ${id}` } : undefined,
  }));
}

export function sameArchived(
  actual: readonly ArchivedPet[],
  expected: readonly ArchivedPet[],
  what: string,
): void {
  const plain = ({ pet, record }: ArchivedPet) => ({ pet: { ...pet }, record: record && { ...record } });
  sameInOrder(actual, expected, plain, what);
}

/** Reads every stored pet, page by page. */
export async function readAll(archive: PetArchive, limit = 1000): Promise<ArchivedPet[]> {
  const all: ArchivedPet[] = [];
  for (;;) {
    const page = await archive.readPets({ after: all.at(-1)?.pet.id ?? 0n, limit });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

/** Asserts that `storePets` refuses the pets: one conflicts with a stored pet or with another of them. */
export async function conflicts(
  archive: PetArchive,
  pets: readonly ArchivedPet[],
  id: bigint,
  what: string,
): Promise<void> {
  const outcome = await archive.storePets(pets).then(
    () => "resolved",
    (error: unknown) => error,
  );
  assert(
    isPetConflict(outcome),
    `storePets with ${what} ${outcome === "resolved" ? "resolved" : `rejected with ${String(outcome)}`}, expected a PetConflict`,
  );
  same(outcome.id, id, `the id that the PetConflict of ${what} names`);
}
