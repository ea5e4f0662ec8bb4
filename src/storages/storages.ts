import { BUILT_IN_STORAGES } from "./built-in.js";
import { checkAdapter } from "./check-adapter.js";
import type { KnownStorages } from "./known-storages.js";
import { isModuleName, loadModule } from "./load-module.js";
import type { StorageAdapter } from "./storage-adapter.js";

const RULE =
  "must be names of packages or paths of modules that begin with ./ ../ or /, separated by commas, " +
  "e.g. petstore-storage-acme,./storages/acme.js";

/** The storages that are built in, and those that `PETSTORE_STORAGE_ADAPTERS` names. */
export class Storages implements KnownStorages {
  readonly defaultUrl = BUILT_IN_STORAGES.defaultUrl;
  /** For each module that is no use, the reason. */
  readonly faults: string[] = [];
  /** With the name that the operator has given, and the path of the module; null if the storage is built in. */
  private readonly known = BUILT_IN_STORAGES.adapters.map((adapter) => ({
    adapter,
    from: "built in",
    module: null as string | null,
  }));

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
    return this.known.map(({ adapter }) => adapter);
  }

  /** The storages as `petstore storages` shows them. */
  describe() {
    return this.known.map(({ adapter: { schemes, form, shared, durable }, from, module }) => ({
      schemes,
      form,
      shared,
      durable,
      from,
      module,
    }));
  }

  private async add(name: string): Promise<void> {
    try {
      const { path, exports } = await loadModule(name);
      const adapter = checkAdapter(exports);
      for (const scheme of adapter.schemes) this.refuseTaken(scheme);
      this.known.push({ adapter, from: name, module: path });
    } catch (error) {
      this.faults.push(`names ${name}, which ${(error as Error).message}`);
    }
  }

  private refuseTaken(scheme: string): void {
    const owner = this.known.find(({ adapter }) => adapter.schemes.includes(scheme));
    if (!owner) return;
    const name = owner.module ? owner.from : "one that is built in";
    throw new Error(`has the scheme ${scheme}:, which ${name} has already; leave one of them out`);
  }
}
