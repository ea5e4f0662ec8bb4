import { once } from "node:events";
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
      const settings = await program.describeSettings();
      const values = Object.fromEntries(settings.map(({ name, value }) => [name, value ?? ""]));
      for (const setting of settings) setting.fault ??= await faultAtStart(setting.name, values, program);
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

/** Why a start would refuse a well-formed value. The ports may be in use, by the service itself. */
async function faultAtStart(name: string, values: Record<string, string>, program: Program) {
  if (name === "PETSTORE_ADMIN_PORT" && values[name] === values.PETSTORE_PORT && values[name] !== "0") {
    const hosts = [values.PETSTORE_HOST ?? "", values.PETSTORE_ADMIN_HOST ?? ""];
    const overlap = hosts[0] === hosts[1] || hosts.some((host) => /^(?:0\.0\.0\.0|::|localhost)$/.test(host));
    if (overlap) return "must differ from PETSTORE_PORT";
  }
  try {
    if (name === "PETSTORE_KEYS_FILE") {
      const store = await program.openKeyStore();
      await store.list().catch((error) => {
        if (error.cause?.code !== "ENOENT") throw error;
      });
    }
    if (name.endsWith("_HOST")) {
      const server = createServer().listen({ host: values[name], port: 0 });
      await once(server, "listening");
      server.close();
    }
    return null;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}
