import { setTimeout as sleep } from "node:timers/promises";
import type { Judge } from "../clients/judge.js";
import type { Clock } from "../clock.js";
import type { Troubles } from "../faults/troubles.js";
import type { History } from "../history/history.js";
import type { Random } from "../random.js";
import { ATTACKS } from "./attacks.js";
import { HostileConnection } from "./hostile-connection.js";

/** How many hostile clients come per second, and how many are there at once. */
const PER_SECOND = 1.5;
const AT_ONCE = 30;

/** Clients that do what no client should. The API document must describe every answer to them. */
export class HostileClients {
  count = 0;
  private readonly underWay = new Set<Promise<void>>();
  private readonly open = new Set<HostileConnection>();
  private running = false;
  private done: Promise<void> = Promise.resolve();

  constructor(
    private readonly port: number,
    private readonly history: History,
    private readonly judge: Judge,
    private readonly troubles: Troubles,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** How many connections the hostile clients hold open now. */
  get connections(): number {
    return this.open.size;
  }

  start(): void {
    this.running = true;
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
    await Promise.all(this.underWay);
  }

  private async run(): Promise<void> {
    while (this.running) {
      await sleep(this.random.pause(PER_SECOND));
      if (this.underWay.size >= AT_ONCE) continue;
      const attack: Promise<void> = this.attack().finally(() => this.underWay.delete(attack));
      this.underWay.add(attack);
    }
  }

  private async attack(): Promise<void> {
    const { name, play } = this.random.pick(ATTACKS);
    const { history, random, judge } = this;
    const begun = this.clock.now();
    this.count += 1;
    const connections: HostileConnection[] = [];
    const connect = async () => {
      const connection = await HostileConnection.open(this.port, () => this.open.delete(connection));
      connections.push(connection);
      this.open.add(connection);
      return connection;
    };
    try {
      await play({ connect, history, random, clock: this.clock });
    } catch (error) {
      const excused = this.troubles.between(begun, this.clock.now());
      const { message } = error as Error;
      const told = /describe|API document/.test(message);
      if (told || !(excused.breaks || judge.starvation.excuses(begun, this.clock.now()))) {
        judge.findings.add(
          "described",
          `a hostile client (${name}) since ${(begun / 1000).toFixed(1)} s: ${message}`,
        );
      }
    } finally {
      for (const connection of connections) connection.close();
    }
  }
}
