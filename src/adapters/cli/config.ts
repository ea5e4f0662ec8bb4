import type { Command } from "commander";
import { JSON_OPTION, type Output, printJson, printTable, warn } from "./output.js";
import type { Program } from "./program.js";

export function addConfig(petstore: Command, program: Program): void {
  petstore
    .command("config")
    .description("show every setting, where its value is from, and its fault; secrets are masked")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const settings = await program.describeSettings();
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
