import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Findings } from "./findings.js";
import type { Random } from "./random.js";
import { API_KEY } from "./service.js";
import type { Troubles } from "./troubles.js";

const PER_SECOND = 2;

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "Host: a", `Authorization: Bearer ${API_KEY}`, ...headers, "", ""].join("\r\n");
const LIST = head("GET /v1/pets?limit=100");

interface Attack {
  readonly name: string;
  /** The statuses that may answer it; none if the client does not read. */
  readonly expected: readonly number[];
  /** Whether it sends a whole request in the end, so that the service may keep the connection. */
  readonly isWhole?: true;
  play(socket: Socket, random: Random): Promise<unknown>;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "pipelines without reading",
    expected: [],
    async play(socket, random) {
      socket.pause().write(LIST.repeat(random.between(50, 400)));
      await sleep(random.between(1000, 8000));
    },
  },
  {
    name: "sends half a head",
    expected: [408],
    play: async (socket, random) => socket.write(LIST.slice(0, random.between(1, 60))),
  },
  {
    name: "sends half a body",
    expected: [408],
    play: async (socket) =>
      socket.write(`${head("POST /v1/pets", "Content-Type: application/json", "Content-Length: 90")}{"na`),
  },
  {
    name: "breaks off in the middle of a body",
    expected: [],
    async play(socket) {
      socket.write(
        `${head("POST /v1/pets", "Content-Type: application/json", "Content-Length: 90")}{"name":"x",`,
      );
      await sleep(100);
      socket.resetAndDestroy();
    },
  },
  {
    name: "sends a body byte by byte",
    expected: [400],
    isWhole: true,
    async play(socket) {
      socket.write(head("POST /v1/pets", "Content-Type: application/json", "Content-Length: 20"));
      for (let sent = 0; sent < 20; sent++) {
        socket.write("{");
        await sleep(100);
      }
    },
  },
  {
    name: "sends garbage",
    expected: [400, 408, 431],
    async play(socket, random) {
      socket.write(Buffer.from(Array.from({ length: random.between(1, 300) }, () => random.between(0, 255))));
      socket.write("\r\n\r\n");
    },
  },
  {
    name: "sends a head that is too large",
    expected: [431],
    play: async (socket) => socket.write(head("GET /v1/pets", `X: ${"x".repeat(40_000)}`)),
  },
  {
    name: "sends a body that is too large",
    expected: [413],
    isWhole: true,
    play: async (socket) =>
      socket.write(
        head("POST /v1/pets", "Content-Type: application/json", "Content-Length: 50000") + "x".repeat(50_000),
      ),
  },
  { name: "says nothing", expected: [], play: () => sleep(5000) },
];

/** Clients that do what no client should, at a steady rate. Each has a connection of its own. */
export class HostileClients {
  private readonly sockets = new Set<Socket>();
  private readonly underWay = new Set<Promise<void>>();
  count = 0;

  constructor(
    private readonly port: number,
    private readonly random: Random,
    private readonly findings: Findings,
    private readonly troubles: Troubles,
  ) {}

  get connections(): number {
    return this.sockets.size;
  }

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await sleep(this.random.pause(PER_SECOND));
      const attack: Promise<void> = this.attack().finally(() => this.underWay.delete(attack));
      this.underWay.add(attack);
    }
    await Promise.all(this.underWay);
  }

  private async attack(): Promise<void> {
    const { name, expected, isWhole, play } = this.random.pick(ATTACKS);
    const begun = performance.now();
    this.count += 1;
    const socket = connect({ port: this.port, host: "127.0.0.1", noDelay: true });
    this.sockets.add(socket);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    const ended = new Promise<void>((resolve) => socket.on("error", () => {}).on("close", () => resolve()));
    const answered = new Promise<void>((resolve) => socket.once("data", () => resolve()));
    await play(socket, this.random);
    // The service waits 10 s for a head and 30 s for a body; then it closes the connection.
    const outcomes = isWhole ? [ended, answered] : [ended];
    if (expected.length > 0) await Promise.race([...outcomes, sleep(40_000, undefined, { ref: false })]);
    const wasClosed = socket.destroyed;
    socket.destroy();
    await ended;
    this.sockets.delete(socket);
    if (expected.length === 0 || this.troubles.between(begun, performance.now()).length > 0) return;
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
    if (!expected.includes(status)) {
      this.findings.add(
        "answer",
        `a client that ${name} gets ${status || "no answer"}, not ${expected.join(" or ")}`,
      );
    } else if (!wasClosed && !isWhole)
      this.findings.add("bound", `a client that ${name} still has its connection after 40 s`);
  }
}
