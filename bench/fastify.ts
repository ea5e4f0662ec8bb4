import { fileURLToPath } from "node:url";
import { comparison } from "./report.js";
import { petstore, type ServerKind } from "./server.js";
import { compare } from "./turns.js";

const script = fileURLToPath(new URL("fastify-server.js", import.meta.url));
const fastify = (name: string, environment: ServerKind["environment"]) => ({ name, script, environment });

export const KINDS: readonly ServerKind[] = [
  petstore("Petstore"),
  fastify("Fastify, equal duties", { BENCH_DUTIES: "all" }),
  petstore("Petstore, log off", { PETSTORE_LOG_LEVEL: "silent" }),
  fastify("Fastify, bare", {}),
];

/** This service beside Fastify with equal duties, and without a log beside Fastify without any duties. */
export async function besideFastify(): Promise<string> {
  const results = await compare(KINDS);
  const names = KINDS.map(({ name }) => name);
  return `## Beside Fastify, pets in memory\n\n${comparison(results, names, [
    [0, 1],
    [2, 3],
  ])}`;
}
