import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The harm that the proxy does to connections. */
export interface NetworkTrouble {
  /** How long the proxy holds up bytes in each direction, in milliseconds. */
  readonly delay?: number;
  /** How many of a thousand chunks of bytes the proxy cuts in the middle, and then resets the connection. */
  readonly cuts?: number;
  /** Whether the proxy passes nothing on. */
  readonly silent?: boolean;
}

/** Stands between the clients and the service, as a network does. */
export class ClientProxy {
  trouble: NetworkTrouble = {};
  private readonly pairs = new Set<() => void>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    private readonly random: { chance(probability: number): boolean },
  ) {}

  static async start(target: number, random: { chance(probability: number): boolean }): Promise<ClientProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new ClientProxy(server, target, random);
    server.on("connection", (client) => proxy.join(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.pairs.size;
  }

  /** Resets every connection that is open now. */
  resetAll(): void {
    for (const reset of [...this.pairs]) reset();
  }

  stop(): void {
    this.server.close();
    this.resetAll();
  }

  private join(client: Socket): void {
    const upstream = connect({ port: this.target, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const reset = () => {
      this.pairs.delete(reset);
      for (const socket of [client, upstream]) socket.resetAndDestroy();
    };
    this.pairs.add(reset);
    this.pass(client, upstream, reset);
    this.pass(upstream, client, reset);
  }

  private pass(from: Socket, to: Socket, reset: () => void): void {
    const waiting: (() => void)[] = [];
    // The bytes stay in order, even if the delay has become shorter meanwhile.
    const later = (act: () => void) => {
      if (!this.trouble.delay && waiting.length === 0) return act();
      waiting.push(act);
      setTimeout(() => waiting.shift()?.(), this.trouble.delay ?? 0);
    };
    from.on("error", reset);
    from.on("close", () => {
      if (to.destroyed) this.pairs.delete(reset);
    });
    from.on("data", (bytes) => {
      const { cuts = 0, silent } = this.trouble;
      if (silent) return;
      if (cuts > 0 && this.random.chance(cuts / 1000)) {
        // A part of the bytes arrives, as in a network that breaks.
        later(() => to.write(bytes.subarray(0, bytes.length >> 1)));
        later(reset);
      } else later(() => to.write(bytes));
    });
    from.on("end", () => later(() => to.end()));
  }
}
