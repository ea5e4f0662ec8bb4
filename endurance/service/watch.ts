import type { Clock } from "../clock.js";
import type { Troubles } from "../faults/troubles.js";
import type { Findings } from "../history/findings.js";
import type { Timeline } from "../report/timeline.js";
import { type ProcessUsage, usageOf } from "./processes.js";
import type { Service } from "./service.js";
import type { Starvation } from "./starvation.js";
import { UsageRules } from "./usage-rules.js";

/** How often the watch looks, in milliseconds. */
const INTERVAL = 1000;

/** Looks at the processes and at the admin port of the service, all the time. */
export class Watch {
  private readonly rules: UsageRules;
  private timer: NodeJS.Timeout | undefined;
  private asking = false;

  constructor(
    private readonly clock: Clock,
    private readonly service: Service,
    private readonly troubles: Troubles,
    private readonly findings: Findings,
    private readonly timeline: Timeline,
    private readonly starvation: Starvation,
    /** How many connections the clients hold open now. */
    connections: () => number,
    warmUp: number,
  ) {
    this.rules = new UsageRules(findings, connections, warmUp);
  }

  start(): void {
    this.timer = setInterval(() => {
      this.measure();
      this.askAdminPort();
    }, INTERVAL);
  }

  stop(): void {
    clearInterval(this.timer);
    this.rules.finish();
  }

  private measure(): void {
    const usages = this.service.pids.map(usageOf).filter((usage) => usage !== undefined);
    const sum = (read: (usage: ProcessUsage) => number) =>
      usages.reduce((total, usage) => total + read(usage), 0);
    this.timeline.sample({
      memory: sum(({ memory }) => memory),
      descriptors: sum(({ sockets, files }) => sockets + files),
      threads: sum(({ threads }) => threads),
    });
    for (const usage of usages) this.rules.check(usage, this.clock.now(), this.troubles.calm);
  }

  private async askAdminPort(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const begun = this.clock.now();
    const { starts } = this.service;
    const [alive, ready, metrics] = [
      await this.service.ask("/livez"),
      await this.service.ask("/readyz"),
      await this.service.ask("/metrics"),
    ];
    const excused = this.troubles.between(begun, this.clock.now());
    const restarted = starts !== this.service.starts;
    const starved = () => this.starvation.excuses(begun, this.clock.now());
    if (!excused.down && !restarted && (alive !== 200 || metrics !== 200) && !starved()) {
      this.findings.add("ready", `/livez answers ${alive}, /metrics ${metrics}`);
    }
    if (excused.calm && ready !== 200 && !starved())
      this.findings.add("ready", `/readyz answers ${ready} without a fault`);
    this.asking = false;
  }
}
