import { API_KEY } from "../test/support/start-app.js";
import { Creates } from "./clients/creates.js";
import { HttpClient } from "./clients/http-client.js";
import { InvalidRequests } from "./clients/invalid.js";
import { Judge } from "./clients/judge.js";
import { KeyRing } from "./clients/key-ring.js";
import { Reads } from "./clients/reads.js";
import { type Clients, SteadyLoad } from "./clients/steady-load.js";
import type { Clock } from "./clock.js";
import { ClientProxy } from "./faults/client-proxy.js";
import { keyChange } from "./faults/key-faults.js";
import { networkFaults } from "./faults/network-faults.js";
import { processFaults } from "./faults/process-faults.js";
import { Schedule } from "./faults/schedule.js";
import { Troubles } from "./faults/troubles.js";
import { World } from "./faults/world.js";
import { Findings } from "./history/findings.js";
import { History } from "./history/history.js";
import { PlannedPets } from "./history/planned-pets.js";
import { HostileClients } from "./hostile/hostile-clients.js";
import type { RunOptions } from "./options.js";
import { Random } from "./random.js";
import { Timeline } from "./report/timeline.js";
import { Service } from "./service/service.js";
import { Starvation } from "./service/starvation.js";
import { Watch } from "./service/watch.js";

/** Everything that a run consists of. */
export interface Parts {
  readonly service: Service;
  readonly clients: Clients;
  readonly load: SteadyLoad;
  readonly hostile: HostileClients;
  readonly schedules: readonly Schedule[];
  readonly watch: Watch;
  readonly history: History;
  readonly findings: Findings;
  readonly troubles: Troubles;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly clock: Clock;
  readonly starvation: Starvation;
  close(): Promise<void>;
}

export async function buildParts(
  options: RunOptions,
  folder: string,
  clock: Clock,
  tell: (line: string) => void,
): Promise<Parts> {
  const { seed, workers, rate, pause, only } = options;
  const stream = (name: string) => new Random(seed, name);
  const troubles = new Troubles(clock);
  const findings = new Findings(clock, tell, (milliseconds) => [
    ...troubles.lately(milliseconds),
    `processes ${service.pids.join(", ") || "none"}`,
  ]);
  const timeline = new Timeline(clock);
  const tag = `e${seed.toString(36)}-${Date.now().toString(36)}`;
  const history = new History(new PlannedPets(seed, tag), findings);
  const world = await World.create(options, folder);
  const { storage, env } = world;
  const service = await Service.create({
    storage,
    workers,
    folder,
    apiKey: API_KEY,
    env: { ...options.env, ...env },
  });
  const starvation = new Starvation(clock, () => service.pids);
  const judge = new Judge(findings, troubles, timeline, starvation);
  const network = await ClientProxy.start(service.port, stream("network"));
  const client = new HttpClient(clock, network.port);
  const keys = new KeyRing(API_KEY, stream("keys"));
  const clients: Clients = {
    client,
    creates: new Creates(client, judge, history, API_KEY, stream("creates")),
    reads: new Reads(client, judge, history, stream("reads"), () => keys.any()),
    invalid: new InvalidRequests(client, judge, stream("invalid"), API_KEY),
  };
  const hostile = new HostileClients(service.port, history, judge, troubles, clock, stream("hostile"));
  const lanes = {
    processes: processFaults(service, options, troubles),
    surroundings: [...networkFaults(network), ...world.faults(service)],
    keys: [keyChange(service, keys, client, judge)],
  };
  const schedules = Object.entries(lanes).map(([name, faults]) => {
    const chosen = faults.filter((fault) => !only || only.some((word) => fault.name.includes(word)));
    return new Schedule(chosen, troubles, findings, stream(name), pause);
  });
  const connections = () => network.connections + hostile.connections;
  return {
    service,
    clients,
    hostile,
    schedules,
    history,
    findings,
    troubles,
    timeline,
    random: stream("verify"),
    clock,
    starvation,
    load: new SteadyLoad(clients, stream("load"), rate),
    watch: new Watch(clock, service, troubles, findings, timeline, starvation, connections, options.warmUp),
    async close() {
      starvation.stop();
      client.close();
      network.stop();
      service.close();
      await world.close();
    },
  };
}
