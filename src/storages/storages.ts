import type { StorageAdapter } from "../application/ports/storage.js";
import { BUILT_IN_STORAGES } from "./built-in.js";
import { checkAdapter } from "./check-adapter.js";
import { isModuleName, loadModule } from "./load-module.js";

const RULE =
  "must be names of packages or paths of modules that begin with ./ ../ or /, separated by commas, " +
  "e.g. petstore-storage-acme,./storages/acme.js";

/** A storage with the name that the operator has given, and the path of the module; null if the storage is built in. */
interface Known {
  readonly adapter: StorageAdapter;
  readonly from: string;
  readonly module: string | null;
}

/**
 * The storages that are built in, and those that `PETSTORE_STORAGE_ADAPTERS` names. Never rejects: the fault of a module goes
 * into `faults`.
 *
 * @param modules the value of the setting
 */
export async function loadStorages(modules: string | undefined) {
  const builtIn = BUILT_IN_STORAGES.adapters.map((adapter) => ({ adapter, from: "built in", module: null }));
  const known: Known[] = builtIn;
  const faults: string[] = [];
  const names = modules?.split(",").map((name) => name.trim()) ?? [];
  if (!names.every(isModuleName)) faults.push(RULE);
  else {
    for (const name of names) {
      try {
        known.push(await load(name, known));
      } catch (error) {
        faults.push(`names ${name}, which ${(error as Error).message}`);
      }
    }
  }
  const adapters = known.map(({ adapter }) => adapter);
  return {
    ...BUILT_IN_STORAGES,
    adapters,
    faults,
    describe: () => known.map(describe),
  };
}

async function load(name: string, known: readonly Known[]): Promise<Known> {
  const { path, exports } = await loadModule(name);
  const adapter = checkAdapter(exports);
  for (const scheme of adapter.schemes) {
    const owner = known.find((one) => one.adapter.schemes.includes(scheme));
    if (!owner) continue;
    const ownerName = owner.module ? owner.from : "one that is built in";
    throw new Error(`has the scheme ${scheme}:, which ${ownerName} has already; leave one of them out`);
  }
  return { adapter, from: name, module: path };
}

/** A storage as `petstore storages` shows it. */
function describe({ adapter: { schemes, form, shared, durable }, from, module }: Known) {
  return { schemes, form, shared, durable, from, module };
}
