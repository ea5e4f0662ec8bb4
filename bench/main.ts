import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before } from "./before.js";
import { besideFastify } from "./fastify.js";
import { guard } from "./guard.js";
import { machine, releaseBefore } from "./report.js";
import { REPOSITORY } from "./server.js";
import { startup } from "./startup.js";
import { storages } from "./storages.js";

// `npm run bench` measures everything and writes bench/results.md; README.md has the other commands.

const [name = "all", ...rest] = process.argv.slice(2);

const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  fastify: besideFastify,
  before: () => before(rest[0] ?? "HEAD"),
  storages: () => storages(rest[0]),
  startup,
};

if (name === "guard") {
  process.exitCode = (await guard(rest[0])) ? 0 : 1;
} else if (name === "all") {
  const sections = [`# Results\n\nWritten by \`npm run bench\`: ${machine()}.`];
  const parts = [
    besideFastify,
    () => before(releaseBefore()),
    () => storages(process.env.PETSTORE_TEST_MONGODB_URL),
    startup,
  ];
  for (const part of parts) {
    const text = await part();
    console.log(`${text}\n`);
    sections.push(text);
  }
  writeFileSync(join(REPOSITORY, "bench/results.md"), `${sections.join("\n\n")}\n`);
} else {
  const part = PARTS[name];
  if (!part) throw new Error(`Write one of all, guard, ${Object.keys(PARTS).join(", ")}, not ${name}.`);
  console.log(`${machine()}\n\n${await part()}`);
}
