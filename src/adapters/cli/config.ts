import { styleText } from "node:util";
import type { Command } from "commander";
import { complain, JSON_OPTION, type Output, printJson, printTable } from "./output.js";
import type { Program } from "./program.js";

export function addConfig(petstore: Command, program: Program): void {
  petstore
    .command("config")
    .description("show every setting with the origin of its value and its fault; mask secrets")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const settings = await program.describeSettings();
      const faulty = settings.filter(({ fault }) => fault !== null);
      if (faulty.length > 0) process.exitCode = 2;
      if (json) return void printJson(settings);
      const rows = settings.map(({ name, value, origin, fault }) => {
        const shown = value ?? "-";
        return [name, fault ? styleText("red", shown) : shown, origin];
      });
      printTable([["SETTING", "VALUE", "FROM"], ...rows]);
      for (const { name, fault } of faulty) complain(`${name} ${fault}`);
    });
}
