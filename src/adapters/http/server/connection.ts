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

/** How many bytes Node's parser gets at a time. It cannot be stopped within them, and may find a piece in each six. */
const SLICE = 1024;

const NOTHING = Buffer.alloc(0);

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
  private readonly waiting: ServerResponse[] = [];
  private refusal?: ErrorAnswer;
  /** Whether `latest` has its turn still to come. */
  private isDue = false;
  /** What has arrived and waits until the parser may read it. Nothing more arrives before. */
  private unread: Buffer = NOTHING;
  /** What the parser reads now. */
  private slice: Buffer = NOTHING;
  private readonly push: (packet: Buffer | null) => boolean;
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
    this.push = socket.push.bind(socket);
    // Once it has had another listener, Node reads by the socket's `push`, and not past it.
    socket.once("data", () => {});
    socket.push = (packet: Buffer | null) => {
      if (!packet?.length) return this.push(packet);
      this.unread = packet;
      return this.read();
    };
    socket.on("resume", () => this.readOn());
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
      waiting.push(res);
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

  /** Gives the parser what has arrived, until a request waits for its answer. @returns whether more may arrive */
  private read(): boolean {
    const { socket } = this;
    while (this.unread.length > 0 && this.isReading) {
      const { inBody } = this;
      this.slice = this.unread.subarray(0, SLICE);
      this.unread = this.unread.subarray(SLICE);
      socket.emit("data", this.slice);
      if (inBody || this.state !== "idle") this.begun = "";
      else if (!this.begun.includes("\n")) this.begun = this.head();
    }
    this.slice = NOTHING;
    // Behind a refusal nothing counts, and until it is sent nothing arrives.
    if (this.state === "refused") this.unread = NOTHING;
    const mayArrive = this.state !== "refused" || socket.writableEnded;
    // Node reads on only if it was given something, be it empty.
    return this.unread.length === 0 && mayArrive && this.push(NOTHING);
  }

  private get isReading(): boolean {
    const { state, socket } = this;
    const isFree = state === "idle" || (state === "answering" && this.inBody);
    return isFree && !socket.destroyed && !socket.isPaused();
  }

  /** Whether what follows belongs to the body of `latest`. */
  private get inBody(): boolean {
    return this.latest?.req.complete === false;
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
    if (next) this.serve(next);
    else if (this.state !== "refused") this.state = "idle";
    else this.sendRefusal(req);
    this.readOn();
  }

  private readOn(): void {
    if (this.unread.length > 0) this.read();
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
    else if (waiting.at(-1)?.req.complete === false) waiting.pop();
  }

  private sendRefusal(last?: IncomingMessage, toHead = false): void {
    const { socket, refusal } = this;
    // A request whose body fails after its answer has that answer.
    if (last?.complete === false) {
      if (refusal === BODY_ENDLESS) this.cut("body");
      else socket.destroy();
    } else if (refusal) {
      // What still arrives is dropped: a close amid it could reset the connection, and lose the refusal.
      socket.push(NOTHING);
      writeRefusal(socket, refusal, this.app, toHead);
    }
  }

  private cut(reason: CutReason): void {
    this.socket.destroy();
    this.app.emit("connectionCut", reason);
  }
}
