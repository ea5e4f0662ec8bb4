import { type Command, InvalidArgumentError } from "commander";
import { KEY_NAME } from "../application/ports/key-store.js";
import { JSON_OPTION, type Output, print, printJson, printTable } from "./output.js";
import type { Program } from "./program.js";

export function addKeys(petstore: Command, program: Program): void {
  const keys = petstore.command("keys").description("manage the API keys, even while the service is running");
  const keyName = (name: string) => {
    if (KEY_NAME.test(name)) return name;
    throw new InvalidArgumentError("Use 1 to 64 letters, digits and _ . @ -, e.g. mobile-app.");
  };
  keys
    .command("add")
    .description("create a key and print it; it will not be shown again")
    .argument("<name>", "the name of the key in logs and metrics", keyName)
    .option("--expires <duration>", "how long it is valid, e.g. 12h, 90d, 52w (default: no expiry)", instant)
    .option(...JSON_OPTION)
    .action(async (name: string, { expires, json }: Output & { expires?: string }) => {
      const store = await program.openKeyStore();
      const key = await store.add(name, expires ?? null);
      if (json) return printJson({ ...key, file: store.location });
      const expiry = expires ? `It expires at ${expires}` : "It never expires";
      print(
        `Created key ${name} in ${store.location}. ${expiry}.\nIt will not be shown again: ${key.secret}`,
      );
    });
  keys
    .command("list")
    .description("list the keys' names and when they expire")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const all = await (await program.openKeyStore()).list();
      if (json) return printJson(all);
      const rows = all.map(({ name, created, expires, expired }) => {
        return [name, created, expired ? `${expires} (expired)` : (expires ?? "never")];
      });
      printTable([["NAME", "CREATED", "EXPIRES"], ...rows]);
    });
  keys
    .command("revoke")
    .description("stop accepting a key; running instances do so within 2 seconds")
    .argument("<name>", "the name of the key", keyName)
    .action(async (name: string) => {
      const store = await program.openKeyStore();
      await store.revoke(name);
      print(
        `Revoked key ${name} in ${store.location}; running instances stop accepting it within 2 seconds.`,
      );
    });
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** The instant after a duration such as `90d`, in ISO 8601. */
function instant(duration: string): string {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([hdw])$/.exec(duration) ?? [];
  if (!unit) throw new InvalidArgumentError("Use 1 to 99999 whole hours, days or weeks, e.g. 90d.");
  return new Date(Date.now() + Number(count) * Number(HOURS[unit]) * 3_600_000).toISOString();
}
