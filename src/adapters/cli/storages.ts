import type { Command } from "commander";
import { complain, JSON_OPTION, type Output, printJson, printTable } from "./output.js";
import type { Program } from "./program.js";

export function addStorages(petstore: Command, program: Program): void {
  petstore
    .command("storages")
    .description("list the storages that PETSTORE_STORAGE can name, and the origin of each")
    .option(...JSON_OPTION)
    .action(async ({ json }: Output) => {
      const known = await program.knownStorages();
      const storages = known.describe();
      const yesOrNo = (value: boolean) => (value ? "yes" : "no");
      const rows = storages.map(({ schemes, form, shared, durable, from, module }) => {
        const origin = module && module !== from ? `${from} (${module})` : from;
        return [schemes.join(", "), form, yesOrNo(shared), yesOrNo(durable), origin];
      });
      if (json) printJson(storages);
      else printTable([["SCHEMES", "FORM", "SHARED", "DURABLE", "FROM"], ...rows]);
      for (const fault of known.faults) complain(`PETSTORE_STORAGE_ADAPTERS ${fault}`);
      if (known.faults.length > 0) process.exitCode = 2;
    });
}
