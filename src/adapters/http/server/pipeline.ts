import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isLetGo } from "./node-internals.js";

/** How many requests of one connection are served at a time; more wait, and take no place among those in flight. */
const AT_A_TIME = 16;

/**
 * The requests of one connection. A client that pipelines them without reading the answers must not take the places of
 * all others: it has `AT_A_TIME` of them, and nothing more is read from it until it has read what is ready. So the time-out
 * of a connection on which nothing moves is not renewed by what it sends.
 */
export class Pipeline {
  private served = 0;
  private unread = 0;
  private waiting: ServerResponse[] = [];
  private closed = false;
  private paused = false;
  /** In the order of their requests; those at the start may be sent already. */
  private answers: ServerResponse[] = [];
  /** The request that is being read, or was read last. */
  latest: IncomingMessage | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly takeOn: (res: ServerResponse) => boolean,
  ) {}

  /** To be called as the head of a request was read. */
  note(res: ServerResponse): void {
    this.latest = res.req;
    this.forgetSent();
    this.answers.push(res);
  }

  /** The answer that is being worked on or sent: of pipelined requests that of the first. */
  get answering(): ServerResponse | undefined {
    this.forgetSent();
    return this.answers[0];
  }

  private forgetSent(): void {
    while (this.answers[0]?.writableFinished) this.answers.shift();
  }

  add(res: ServerResponse): void {
    if (this.served < AT_A_TIME && this.unread === 0) {
      if (this.takeOn(res)) this.served += 1;
      return;
    }
    this.waiting.push(res);
    this.pause();
  }

  /** To be called once an answer was handed to the operating system whole. */
  finish(): void {
    this.served -= 1;
    this.goOn();
  }

  /** To be called for an answer that waits for its client, or for one before it. */
  keepUnread(): void {
    this.unread += 1;
    this.pause();
  }

  /** Whether the answer still counted: it does not once the connection is closed. */
  finishUnread(): boolean {
    if (this.closed) return false;
    this.unread -= 1;
    this.finish();
    return true;
  }

  /** How many answers were unread when the connection closed: Node closes only the first of those that wait. */
  giveUp(): number {
    this.closed = true;
    this.waiting = [];
    this.answers = [];
    return this.unread;
  }

  private goOn(): void {
    while (this.waiting.length > 0 && this.served < AT_A_TIME && this.unread === 0) {
      if (this.takeOn(this.waiting.shift() as ServerResponse)) this.served += 1;
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
