import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { BufferLimit, Keeper } from "./buffer-limit.js";
import { isLetGo } from "./node-internals.js";

/** How many requests of one connection may be in flight at a time, and how many of its answers may be unread. */
const AT_A_TIME = 16;

/**
 * The requests of one connection. A client that pipelines them without reading the answers must not take the places of
 * all others: once `AT_A_TIME` answers are unread, the pipeline serves no further request and reads nothing more, until
 * the client has read them. So bytes that the client sends do not renew the time-out of a connection on which no answer
 * moves. What the connection keeps meanwhile counts in `buffers`, which may cut the connection.
 */
export class Pipeline implements Keeper {
  private inFlight = 0;
  private unread = 0;
  private streams = 0;
  private waiting: ServerResponse[] = [];
  private closed = false;
  private paused = false;
  /** In the order of their requests; those at the start may be sent already. */
  private answers: ServerResponse[] = [];
  /** The bytes of the answers that are unread, as they were made. */
  keptBytes = 0;
  /** The request that is being read, or was read last. */
  latest: IncomingMessage | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly buffers: BufferLimit,
    private readonly takeOn: (res: ServerResponse) => boolean,
  ) {}

  /** To be called once the head of a request was read; false if the connection was cut before. */
  note(res: ServerResponse): boolean {
    if (this.closed) return false;
    this.latest = res.req;
    this.forgetSent();
    this.answers.push(res);
    if (this.answers.length > 1) this.buffers.change(this, 1, 0);
    return !this.closed;
  }

  /** The answer that is being made or sent. If requests are pipelined, it is that of the first. */
  get answering(): ServerResponse | undefined {
    this.forgetSent();
    return this.answers[0];
  }

  /** The requests behind the first that is not answered. */
  get keptRequests(): number {
    return Math.max(0, this.answers.length - 1);
  }

  /** Whether the client has not read an answer that was made. */
  get isUnread(): boolean {
    return this.unread > 0;
  }

  private forgetSent(): void {
    let kept = 0;
    while (this.answers[0]?.writableFinished) {
      this.answers.shift();
      if (this.answers.length > 0) kept += 1;
    }
    if (kept > 0) this.buffers.change(this, -kept, 0);
  }

  /** Serves the request, now or in its turn. */
  add(res: ServerResponse): void {
    if (this.inFlight < AT_A_TIME && this.unread === 0) {
      if (this.takeOn(res)) this.inFlight += 1;
      return;
    }
    this.waiting.push(res);
    this.pause();
  }

  /** To be called once a request is no longer in flight. */
  answered(res: ServerResponse): void {
    this.inFlight -= 1;
    this.made(res);
  }

  /** To be called once an answer was made, for a request in flight or one that was not taken on. */
  made(res: ServerResponse): void {
    if (this.closed) return;
    if (!res.writableFinished) this.keepUnread(res);
    else if (this.answers.length > 1 || this.waiting.length > 0 || this.paused) this.goOn();
  }

  private keepUnread(res: ServerResponse): void {
    const bytes = res.writableLength;
    this.unread += 1;
    this.pause();
    res.once("close", () => {
      if (this.closed) return;
      this.unread -= 1;
      this.keepBytes(-bytes);
      this.goOn();
    });
    this.keepBytes(bytes);
  }

  private keepBytes(bytes: number): void {
    this.keptBytes += bytes;
    this.buffers.change(this, 0, bytes);
  }

  /** To be called for an answer that is a stream: its request stays in flight until all of the stream is sent. */
  beginStream(): void {
    this.streams += 1;
    // The connection is not paused: otherwise nobody would notice if it breaks while the stream has nothing
    // to send.
    this.unread += 1;
  }

  /** Whether the stream still counted: it does not once the connection is closed. */
  endStream(res: ServerResponse): boolean {
    if (this.closed) return false;
    this.streams -= 1;
    this.unread -= 1;
    this.answered(res);
    return true;
  }

  cut(): void {
    this.socket.destroy();
    this.giveUp();
  }

  /** How many streams ended with the connection: Node closes only the first of the answers that wait. */
  giveUp(): number {
    this.closed = true;
    const { keptRequests, keptBytes } = this;
    this.waiting = [];
    this.answers = [];
    this.keptBytes = 0;
    if (keptRequests > 0 || keptBytes > 0) this.buffers.change(this, -keptRequests, -keptBytes);
    return this.streams;
  }

  private goOn(): void {
    this.forgetSent();
    while (this.waiting.length > 0 && this.inFlight < AT_A_TIME && this.unread === 0) {
      if (this.takeOn(this.waiting.shift() as ServerResponse)) this.inFlight += 1;
    }
    if (this.paused && this.waiting.length === 0 && this.unread === 0) {
      this.paused = false;
      if (!isLetGo(this.socket)) this.socket.resume();
    }
  }

  private pause(): void {
    this.paused = true;
    this.socket.pause();
  }
}

const pipelines = new WeakMap<Socket, Pipeline>();

export function setPipeline(socket: Socket, pipeline: Pipeline): void {
  pipelines.set(socket, pipeline);
}

/** The pipeline of a socket of `shedLoad`'s server. */
export function pipelineOf(socket: Socket): Pipeline {
  return pipelines.get(socket) as Pipeline;
}
