import { Storages } from "../storages.js";
import { type Output, printJson, printTable, warn } from "./output.js";

export async function listStorages({ json }: Output): Promise<void> {
  const { list, faults } = await Storages.load(process.env);
  const storages = list.map(({ adapter: { schemes, form, shared, durable }, from, module }) => {
    return { schemes, form, shared, durable, from, module };
  });
  const rows = storages.map(({ schemes, form, shared, durable, from, module }) => {
    const origin = module && module !== from ? `${from} (${module})` : from;
    return [schemes.join(", "), form, shared ? "yes" : "no", durable ? "yes" : "no", origin];
  });
  if (json) await printJson(storages);
  else await printTable([["SCHEMES", "FORM", "SHARED", "DURABLE", "FROM"], ...rows]);
  for (const fault of faults) warn(`PETSTORE_STORAGE_ADAPTERS ${fault}`);
  if (faults.length > 0) process.exitCode = 2;
}
