import type { StorageAdapter } from "../application/ports/storage-adapter.js";
import type { KnownStorages } from "../settings/storage-rules.js";
import { BUILT_IN_STORAGES } from "./built-in.js";
import { checkAdapter } from "./check-adapter.js";
import { isModuleName, loadModule } from "./load-module.js";

/** The origin of a storage. */
interface Origin {
  /** The name that the operator has given, or "built in". */
  readonly from: string;
  /** The path of the module; null if it is built in. */
  readonly module: string | null;
}

const BUILT_IN: Origin = { from: "built in", module: null };

const RULE =
  "must be names of packages or paths of modules that begin with ./ ../ or /, separated by commas, " +
  "e.g. petstore-storage-acme,./storages/acme.js";

/** The storages that are built in, and those that `PETSTORE_STORAGE_ADAPTERS` names. */
export class Storages implements KnownStorages {
  readonly defaultUrl = BUILT_IN_STORAGES.defaultUrl;
  /** For each module that is no use, the reason. */
  readonly faults: string[] = [];
  private readonly known = new Map<StorageAdapter, Origin>(
    BUILT_IN_STORAGES.adapters.map((adapter) => [adapter, BUILT_IN]),
  );

  /**
   * Loads the modules. Never rejects: the fault of a module goes into `faults`.
   *
   * @param modules the value of `PETSTORE_STORAGE_ADAPTERS`
   */
  static async load(modules: string | undefined): Promise<Storages> {
    const storages = new Storages();
    const names = modules?.split(",").map((name) => name.trim()) ?? [];
    if (!names.every(isModuleName)) storages.faults.push(RULE);
    else for (const name of names) await storages.add(name);
    return storages;
  }

  get adapters(): readonly StorageAdapter[] {
    return [...this.known.keys()];
  }

  /** The storages as `petstore storages` shows them. */
  describe() {
    return [...this.known].map(([{ schemes, form, shared, durable }, origin]) => ({
      schemes,
      form,
      shared,
      durable,
      ...origin,
    }));
  }

  private async add(name: string): Promise<void> {
    try {
      const { path, exports } = await loadModule(name);
      const adapter = checkAdapter(exports);
      for (const scheme of adapter.schemes) this.refuseTaken(scheme);
      this.known.set(adapter, { from: name, module: path });
    } catch (error) {
      this.faults.push(`names ${name}, which ${(error as Error).message}`);
    }
  }

  private refuseTaken(scheme: string): void {
    for (const [{ schemes }, { from }] of this.known) {
      if (!schemes.includes(scheme)) continue;
      const owner = from === BUILT_IN.from ? "one that is built in" : from;
      throw new Error(`has the scheme ${scheme}:, which ${owner} has already; leave one of them out`);
    }
  }
}
