import assert, { AssertionError } from "node:assert/strict";
import type { Pet } from "../domain/pet.js";

/** Asserts that both are deeply and strictly equal. The error names `what`, and shows both in one line. */
export function same(actual: unknown, expected: unknown, what: string): void {
  try {
    assert.deepStrictEqual(actual, expected);
  } catch {
    const message = `${what} is ${show(actual)}, expected ${show(expected)}`;
    throw new AssertionError({ message, actual, expected });
  }
}

/** As `same`, for one pet, which need not be a plain object. */
export function samePet(actual: Pet | undefined, expected: Pet, what: string): void {
  same(actual && { ...actual }, { ...expected }, what);
}

/** As `samePet`, for pets in order. The error names the first difference. */
export function samePets(actual: readonly Pet[], expected: readonly Pet[], what: string): void {
  sameInOrder(actual, expected, (pet) => pet && { ...pet }, what);
}

/** @param plain drops the prototypes, which are the storage's own affair */
export function sameInOrder<Thing>(
  actual: readonly Thing[],
  expected: readonly Thing[],
  plain: (thing: Thing) => Thing,
  what: string,
): void {
  const length = Math.min(actual.length, expected.length);
  for (let index = 0; index < length; index++) {
    const [seen, wanted] = [actual[index], expected[index]] as [Thing, Thing];
    same(plain(seen), plain(wanted), `${what}, pet ${index + 1} of ${expected.length},`);
  }
  same(actual.length, expected.length, `the number of pets in ${what}`);
}

const LONGEST = 160;

/** A value in one line of printable ASCII, cut if it is long. */
export function show(value: unknown): string {
  const text = typeof value === "bigint" ? `${value}n` : (JSON.stringify(value, exactly) ?? String(value));
  const plain = text.replace(
    /[^ -~]/gu,
    (letter) => `\\u{${(letter.codePointAt(0) as number).toString(16)}}`,
  );
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}… (${plain.length} characters)` : plain;
}

function exactly(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
