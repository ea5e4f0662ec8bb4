import { runShell } from "../../src/adapters/cli/conformance/shell.js";
import { MongodbProxy } from "../../test/support/mongodb-proxy.js";
import type { RunOptions } from "../options.js";
import type { Service } from "../service/service.js";
import { databaseFaults } from "./database-faults.js";
import { diskFaults, FaultyDisk } from "./disk-faults.js";
import type { Fault } from "./fault.js";
import { machineFaults } from "./machine-faults.js";

/** The surroundings of the service: its disk, its database, and the connections to the database. */
export class World {
  private constructor(
    private readonly options: RunOptions,
    /** The URL of the storage for the service. */
    readonly storage: string,
    private readonly proxy: MongodbProxy | undefined,
    private readonly disk: FaultyDisk | undefined,
  ) {}

  static async create(options: RunOptions, folder: string): Promise<World> {
    const { storage } = options;
    const proxy = /^mongodb:/.test(storage) ? await MongodbProxy.start(storage) : undefined;
    const disk = FaultyDisk.under(storage, folder);
    return new World(options, proxy?.urlOf(storage) ?? storage, proxy, disk);
  }

  /** The environment variables that the service needs for the faults. */
  get env(): Readonly<Record<string, string>> {
    return this.disk?.env ?? {};
  }

  faults(service: Service): Fault[] {
    const { down, up } = this.options;
    const commands = down && up ? { down: () => runShell(down), up: () => runShell(up) } : undefined;
    return [
      ...machineFaults(service),
      ...(this.disk ? diskFaults(this.disk) : []),
      ...databaseFaults(commands, this.proxy),
    ];
  }

  async close(): Promise<void> {
    this.disk?.heal();
    await this.proxy?.stop();
  }
}
