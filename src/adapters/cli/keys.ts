import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { styleText } from "node:util";
import { type Command, InvalidArgumentError } from "commander";
import { Failure } from "./failure.js";
import { JSON_OPTION, type Output, print, printJson, printTable } from "./output.js";
import type { Program } from "./program.js";

export function addKeys(petstore: Command, program: Program): void {
  function keyName(text: string): string {
    if (program.keyName.test(text)) return text;
    throw new InvalidArgumentError("Use 1 to 64 letters, digits and _ . @ -, e.g. mobile-app.");
  }
  const keys = petstore.command("keys").description("manage the API keys, also while the service runs");
  keys
    .command("add")
    .description("make a key and print it, once")
    .argument("<name>", "the name of the key in logs and metrics", keyName)
    .option(
      "--expires <duration>",
      "how long the key is valid, e.g. 12h, 90d, 52w (default: for ever)",
      instant,
    )
    .option(...JSON_OPTION)
    .action(async (name: string, { expires, json }: Output & { expires?: string }) => {
      // Node puts the null device in place of a standard output that is closed, too.
      if (fstatSync(1).rdev === statSync(devNull).rdev)
        throw new Failure(
          "Standard output leads nowhere, and the key is shown only once; give it a place.",
          1,
        );
      const store = await program.openKeyStore();
      const key = await store.add(name, expires ?? null);
      const expiry = key.expires ? `it expires at ${key.expires}` : "it never expires";
      const shown = json
        ? printJson({ ...key, file: store.place })
        : print(
            `The key ${name} was made in ${store.place}; ${expiry}.\nIt is shown only now: ${key.secret}`,
          );
      // Nobody could ever use it.
      if (!(await shown)) await store.revoke(name);
    });
  keys
    .command("list")
    .description("list the names of the keys and when they expire")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const all = await (await program.openKeyStore()).list();
      const keys = all.map((key) => ({
        ...key,
        expired: key.expires !== null && Date.parse(key.expires) <= Date.now(),
      }));
      if (json) return void printJson(keys);
      const rows = keys.map(({ name, created, expires, expired }) => [
        name,
        created,
        expired ? styleText("red", `${expires} (expired)`) : (expires ?? "never"),
      ]);
      printTable([["NAME", "CREATED", "EXPIRES"], ...rows]);
    });
  keys
    .command("revoke")
    .description("stop accepting a key; running instances follow within 2 seconds")
    .argument("<name>", "the key's name", keyName)
    .action(async (name: string) => {
      const store = await program.openKeyStore();
      await store.revoke(name);
      print(`The key ${name} was revoked in ${store.place}; running instances refuse it within 2 seconds.`);
    });
}

const MILLISECONDS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The instant after a duration such as `90d`, from now on. */
function instant(text: string): string {
  const [, count, unit] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (unit === undefined) {
    throw new InvalidArgumentError("Use 1 to 99999 whole hours, days or weeks, e.g. 90d.");
  }
  const milliseconds = Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  return new Date(Date.now() + milliseconds).toISOString();
}
