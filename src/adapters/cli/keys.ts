import { type Command, InvalidArgumentError } from "commander";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { JSON_OPTION, type Output, print, printJson, printTable } from "./output.js";
import type { Program } from "./program.js";

export function addKeys(petstore: Command, program: Program): void {
  const keys = petstore.command("keys").description("manage the API keys, also while the service runs");
  const keyName = (name: string) => {
    if (KEY_NAME.test(name)) return name;
    throw new InvalidArgumentError("Use 1 to 64 letters, digits and _ . @ -, e.g. mobile-app.");
  };
  keys
    .command("add")
    .description("create a key and print it, once")
    .argument("<name>", "the name of the key in logs and metrics", keyName)
    .option("--expires <duration>", "how long it is valid, e.g. 12h, 90d, 52w (default: for ever)", instant)
    .option(...JSON_OPTION)
    .action(async (name: string, { expires, json }: Output & { expires?: string }) => {
      const store = await program.openKeyStore();
      const key = await store.add(name, expires ?? null);
      if (json) return printJson({ ...key, file: store.location });
      const expiry = expires ? `it expires at ${expires}` : "it never expires";
      print(`The key ${name} was made in ${store.location}; ${expiry}.\nIt is shown only now: ${key.secret}`);
    });
  keys
    .command("list")
    .description("list the names of the keys and when they expire")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const now = new Date().toISOString();
      const stored = await (await program.openKeyStore()).list();
      const all = stored.map((key) => ({ ...key, expired: key.expires !== null && key.expires <= now }));
      if (json) return printJson(all);
      const rows = all.map(({ name, created, expires, expired }) => {
        return [name, created, expired ? `${expires} (expired)` : (expires ?? "never")];
      });
      printTable([["NAME", "CREATED", "EXPIRES"], ...rows]);
    });
  keys
    .command("revoke")
    .description("stop accepting a key; running instances follow within 2 seconds")
    .argument("<name>", "the name of the key", keyName)
    .action(async (name: string) => {
      const store = await program.openKeyStore();
      await store.revoke(name);
      print(`The key ${name} was revoked in ${store.location}; running instances follow within 2 seconds.`);
    });
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** The instant after a duration such as `90d`, in ISO 8601. */
function instant(duration: string): string {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([hdw])$/.exec(duration) ?? [];
  if (!unit) throw new InvalidArgumentError("Use 1 to 99999 whole hours, days or weeks, e.g. 90d.");
  return new Date(Date.now() + Number(count) * Number(HOURS[unit]) * 3_600_000).toISOString();
}
