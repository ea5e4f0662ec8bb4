import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorAnswer } from "../answer/error-codes.js";
import type { CutReason } from "../events.js";
import type { KoaApp, Listener } from "../koa-app.js";
import {
  BODY_ENDLESS,
  type ClientError,
  LATE,
  MALFORMED,
  refusalOf,
  TOO_MANY_HEADERS,
  writeRefusal,
} from "./refuse.js";

/** The most headers of a request. */
export const MOST_HEADERS = 200;

/** What a client may pipeline behind an answer that it has not read. Each request takes about 2.5 KB beside its bytes. */
const MOST_WAITING = { requests: 100, bytes: 64 * 1024 };

/** How many bytes Node's parser gets at a time. It cannot be stopped within them, and may find a piece in each six. */
const SLICE = 2048;

const NOTHING = Buffer.alloc(0);

/** A request that waits for the answer to an earlier one. */
interface Waiting {
  readonly res: ServerResponse;
  /** How many bytes had arrived on its connection when it was read. */
  readonly bytesRead: number;
}

/**
 * `idle`: every request has its answer. `answering`: one is with the application, or its client has not read the answer.
 * `waiting`: others wait behind it. `refused`: something was no request, or had a body that cannot be read; it gets its
 * answer once all before it have theirs, and nothing that follows counts.
 */
type State = "idle" | "answering" | "waiting" | "refused";

/** One connection. It has one request in the application and one unread answer at a time. */
export class Connection {
  state: State = "idle";
  /** The answer to the request that was handed over last. */
  private latest?: ServerResponse;
  private readonly waiting: Waiting[] = [];
  private refusal?: ErrorAnswer;
  /** Whether `latest` has its turn still to come. */
  private isDue = false;
  /** What the parser reads now. */
  private slice: Buffer = NOTHING;
  /** What it has read before of a head that is not pipelined, up to the slice that ends the request line. */
  private begun = "";

  constructor(
    private readonly socket: Socket,
    private readonly app: KoaApp,
    private readonly listener: Listener,
    /** Calls `handOver` in the turn of this connection. */
    private readonly queue: (connection: Connection) => void,
  ) {
    // Node keeps the address that it has read once. When the client has gone, it can no longer ask for it.
    void socket.remoteAddress;
    const push = socket.push.bind(socket);
    // Once it has had another listener, Node reads by the socket's `push`, and not past it.
    socket.once("data", () => {});
    socket.push = (packet: Buffer | null) => (packet?.length ? this.read(packet, push) : push(packet));
  }

  /** Serves a request in its turn. */
  accept(req: IncomingMessage, res: ServerResponse): void {
    const { state, socket, waiting } = this;
    if (state === "refused" || !socket.writable) return;
    if (req.rawHeaders.length > 2 * MOST_HEADERS) this.refuse(TOO_MANY_HEADERS, req.method === "HEAD");
    else if (!this.isHttp1(req)) this.refuse(MALFORMED, req.method === "HEAD");
    else if (state === "idle") this.serve(res);
    else {
      this.state = "waiting";
      const { bytesRead } = socket;
      const oldest = waiting[0]?.bytesRead ?? bytesRead;
      if (waiting.push({ res, bytesRead }) > MOST_WAITING.requests || bytesRead - oldest > MOST_WAITING.bytes)
        this.cut("unread");
    }
  }

  /** Answers bytes that Node's parser did not take. */
  fail({ code, bytesParsed = 0 }: ClientError): void {
    const refusal = refusalOf(code, this.slice.subarray(bytesParsed), this.app.allow);
    this.refuse(refusal, this.head().startsWith("HEAD "));
  }

  /** Takes nothing more of a body. */
  endBody(): void {
    this.refuse(BODY_ENDLESS, false);
  }

  /** Closes the connection once it has delivered its answers. */
  closeDelivered(): void {
    if (this.state === "idle") this.socket.destroy();
    else if (!this.latest?.writableFinished) this.latest?.once("close", () => this.closeDelivered());
  }

  /** Ends the connection on which nothing has moved for a while. */
  endSilent(): void {
    if (this.state === "idle") this.socket.destroy();
    // Node's time limit of a request ends one that has not arrived.
    else if (this.state === "refused" || this.latest?.req.complete) this.cut("stalled");
  }

  /** Gives the parser what arrives, and drops what no longer counts. @returns whether to read on */
  private read(packet: Buffer, push: (slice: Buffer) => boolean): boolean {
    const { socket } = this;
    // Node reads on only if it was given something, be it empty.
    if (this.state === "refused") return !socket.isPaused() && push(NOTHING);
    let goesOn = true;
    for (let place = 0; place < packet.length; place += SLICE) {
      const isHead = this.state === "idle" && this.latest?.req.complete !== false;
      this.slice = packet.subarray(place, place + SLICE);
      goesOn = push(this.slice);
      if (!isHead || this.state !== "idle") this.begun = "";
      else if (!this.begun.includes("\n")) this.begun = this.head();
      if ((this.state as State) === "refused" || socket.destroyed) break;
    }
    this.slice = NOTHING;
    return goesOn;
  }

  private head(): string {
    return this.begun + this.slice.toString("latin1");
  }

  /** Whether a request is one of HTTP/1.0 or 1.1. Node's parser takes HTTP/0.9 and 2.0, and RTSP for HTTP. */
  private isHttp1({ method, url, httpVersion }: IncomingMessage): boolean {
    return /^1\.[01]$/.test(httpVersion) && !`\n${this.head()}`.includes(`\n${method} ${url} RTSP/`);
  }

  /** Hands the request whose turn it is to the application. */
  handOver(): void {
    if (!this.isDue || !this.latest) return;
    this.isDue = false;
    this.listener(this.latest.req, this.latest);
  }

  private serve(res: ServerResponse): void {
    this.latest = res;
    if (this.state !== "refused") this.state = this.waiting.length > 0 ? "waiting" : "answering";
    res.once("close", () => this.answered(res));
    this.isDue = true;
    this.queue(this);
  }

  /** Goes on behind an answer that was delivered. */
  private answered({ req }: ServerResponse): void {
    if (!this.socket.writable) return;
    const next = this.waiting.shift();
    if (next) this.serve(next.res);
    else if (this.state !== "refused") this.state = "idle";
    else this.sendRefusal(req);
  }

  private refuse(refusal: ErrorAnswer, toHead: boolean): void {
    const { state, socket, latest, waiting } = this;
    if (state === "refused") return;
    this.state = "refused";
    this.refusal = refusal;
    // The application answers a request whose body fails.
    this.handOver();
    const req = latest?.req;
    if (!latest || state === "idle") this.sendRefusal(req, toHead);
    else if (state === "answering" && !latest.req.complete && !latest.headersSent) {
      // The reader of the body passes the refusal on to the application. Without a reader nobody waits for the body.
      if (latest.req.listenerCount("error") > 0) latest.req.emit("error", refusal);
      else writeRefusal(socket, refusal, this.app);
    } else if (refusal === LATE) this.cut("stalled");
    else {
      // Bytes that nobody will look at must not keep alive a connection whose client reads no answer.
      socket.pause();
      if (waiting.at(-1)?.res.req.complete === false) waiting.pop();
    }
  }

  private sendRefusal(last?: IncomingMessage, toHead = false): void {
    const { socket, refusal } = this;
    // A request whose body fails after its answer has that answer.
    if (last?.complete === false) {
      if (refusal === BODY_ENDLESS) this.cut("body");
      else socket.destroy();
    } else if (refusal) {
      // `read` may have stopped.
      socket.push(NOTHING);
      writeRefusal(socket, refusal, this.app, toHead);
    }
  }

  private cut(reason: CutReason): void {
    this.socket.destroy();
    this.app.emit("connectionCut", reason);
  }
}
