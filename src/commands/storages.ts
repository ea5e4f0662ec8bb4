import type { Command } from "commander";
import { JSON_OPTION, type Output, printJson, printTable, warn } from "./output.js";
import type { Program } from "./program.js";

export function addStorages(petstore: Command, program: Program): void {
  petstore
    .command("storages")
    .description("list the storages that PETSTORE_STORAGE can name, and where each is from")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const { list, faults } = await program.loadStorages();
      const storages = list.map(({ adapter: { schemes, form, shared, durable }, from, module }) => {
        return { schemes, form, shared, durable, from, module };
      });
      const rows = storages.map(({ schemes, form, shared, durable, from, module }) => {
        const origin = module && module !== from ? `${from} (${module})` : from;
        return [schemes.join(", "), form, shared ? "yes" : "no", durable ? "yes" : "no", origin];
      });
      if (json) printJson(storages);
      else printTable([["SCHEMES", "FORM", "SHARED", "DURABLE", "FROM"], ...rows]);
      for (const fault of faults) warn(`PETSTORE_STORAGE_ADAPTERS ${fault}`);
      if (faults.length > 0) process.exitCode = 2;
    });
}
