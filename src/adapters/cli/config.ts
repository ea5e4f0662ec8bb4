import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { Command } from "commander";
import { JSON_OPTION, type Output, printJson, printTable, warn } from "./output.js";
import type { Program } from "./program.js";

export function addConfig(petstore: Command, program: Program): void {
  petstore
    .command("config")
    .description(
      "show every setting, where its value is from, and why a start would refuse it; secrets are masked",
    )
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const described = await program.describeSettings();
      const shown = (name: string) => described.find((setting) => setting.name === name)?.value ?? "";
      const faultAtStart = async (name: string) => {
        if (name === "PETSTORE_KEYS_FILE") return keysFault(program);
        if (name.endsWith("_HOST")) return hostFault(shown(name));
        const hasClash = ["HOST", "PORT"].every(
          (end) => shown(`PETSTORE_${end}`) === shown(`PETSTORE_ADMIN_${end}`),
        );
        if (name === "PETSTORE_ADMIN_PORT" && hasClash && shown(name) !== "0")
          return "must differ from PETSTORE_PORT";
        return null;
      };
      const settings = [];
      for (const row of described)
        settings.push({ ...row, fault: row.fault ?? (await faultAtStart(row.name)) });
      const rows = settings.map(({ name, value, origin }) => [name, value ?? "-", origin]);
      if (json) printJson(settings);
      else printTable([["SETTING", "VALUE", "FROM"], ...rows]);
      for (const { name, origin, fault } of settings) {
        if (origin === "unknown") warn(`${name} is not a setting; is it misspelt?`);
        if (fault !== null) warn(`${name} ${fault}`);
      }
      if (settings.some(({ fault }) => fault !== null)) process.exitCode = 2;
    });
}

/** Why a start would not accept the keys file; it may be missing. */
async function keysFault(program: Program): Promise<string | null> {
  const store = await program.openKeyStore();
  if (!existsSync(store.location)) return null;
  return store.list().then(
    () => null,
    ({ message }: Error) => `cannot be used: ${message}`,
  );
}

/** Why a start could not listen on a host. The port may be in use, by the service itself. */
async function hostFault(host: string): Promise<string | null> {
  const server = createServer().listen({ host, port: 0 });
  const fault = await once(server, "listening").then(
    () => null,
    ({ code }) => `must be an address of this machine, e.g. 127.0.0.1 (${code})`,
  );
  server.close();
  return fault;
}
