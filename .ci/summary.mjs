// node .ci/summary.mjs FOLDER: reads mocha's reports (*.json) and the names of failed steps (*.failed), prints the failures,
// and `N passed, N failed`. A skipped test counts as failed, except in the clone of an ordinary user.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [folder] = process.argv.slice(2);
const failed = [];
let passed = 0;
for (const name of readdirSync(folder).sort()) {
  if (name.endsWith(".failed")) failed.push(basename(name, ".failed"));
  if (!name.endsWith(".json")) continue;
  const { stats, failures, pending } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  passed += stats.passes;
  failed.push(...failures.map(({ fullTitle, err }) => `${fullTitle}\n${err.stack ?? err.message}`));
  // The storage contract skips the rules that do not apply to a storage, and says why.
  const skipped = pending.filter(({ title }) => name !== "newcomer.json" && !title.includes("(not asked: "));
  failed.push(...skipped.map(({ fullTitle }) => `${fullTitle}: skipped`));
}
for (const failure of failed) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
