import { createHash, timingSafeEqual } from "node:crypto";

// The parts that do not depend on a framework, for every peer: the pets in memory, and the key's digest.

export const STATUSES = ["available", "pending", "sold"] as const;
export type Status = (typeof STATUSES)[number];

export interface NewPet {
  name: string;
  categoryId: number;
  status?: Status | undefined;
}

export interface Pet extends Required<NewPet> {
  id: number;
}

export class Catalogue {
  private readonly all: Pet[] = [];
  private readonly byStatus: Record<Status, Pet[]> = { available: [], pending: [], sold: [] };

  create({ name, categoryId, status = "available" }: NewPet): Pet {
    const pet = { id: this.all.length + 1, name, categoryId, status };
    this.all.push(pet);
    this.byStatus[status].push(pet);
    return pet;
  }

  get(id: number): Pet | undefined {
    return this.all[id - 1];
  }

  list(limit: number, status: Status | undefined): Pet[] {
    return (status ? this.byStatus[status] : this.all).slice(0, limit);
  }
}

const digest = (secret: string) => createHash("sha256").update(secret).digest();

const accepted = digest(process.env.BENCH_API_KEY ?? "");

/** Whether this is the API key. Compares only digests, in constant time. */
export function isAccepted(secret: string): boolean {
  return timingSafeEqual(digest(secret), accepted);
}

/** Whether an Authorization header carries the API key. */
export function isAuthorized(header: string | undefined): boolean {
  return header !== undefined && /^bearer /i.test(header) && isAccepted(header.slice(7));
}

export const errorOf = (status: number, code: string, message: string) => ({ code, message, status });

export const UNAUTHORIZED = errorOf(401, "invalid_credentials", "The API key is not accepted.");
export const NOT_FOUND = errorOf(404, "pet_not_found", "No pet has this petId.");
export const CHALLENGE = 'Bearer realm="petstore"';

/** Tells the benchmark the address of the server. */
export function announce(port: number): void {
  console.log(`listens on http://127.0.0.1:${port}`);
}
