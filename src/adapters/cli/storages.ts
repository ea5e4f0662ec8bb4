import { printJson, printTable } from "./output.js";

/** A storage that an operator can choose. */
export interface StorageRow {
  readonly schemes: readonly string[];
  readonly form: string;
  readonly shared: boolean;
  readonly durable: boolean;
  /** The package or path that the operator has named, or "built in". */
  readonly from: string;
  /** The path of its module; null if it is built in. */
  readonly module: string | null;
}

/** Shows the storages. Returns false if a module that the settings name has a fault. */
export function showStorages(
  storages: readonly StorageRow[],
  faults: readonly string[],
  { json }: { json?: true },
): boolean {
  if (json) printJson(storages);
  else {
    printTable([
      ["SCHEMES", "FORM", "SHARED", "DURABLE", "FROM"],
      ...storages.map(({ schemes, form, shared, durable, from, module }) => [
        schemes.join(", "),
        form,
        shared ? "yes" : "no",
        durable ? "yes" : "no",
        module && module !== from ? `${from} (${module})` : from,
      ]),
    ]);
  }
  for (const fault of faults) console.error(`petstore: PETSTORE_STORAGE_ADAPTERS ${fault}`);
  return faults.length === 0;
}
