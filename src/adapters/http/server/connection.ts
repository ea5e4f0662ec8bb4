import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorAnswer } from "../answer/error-codes.js";
import type { CutReason } from "../events.js";
import type { KoaApp, Listener } from "../koa-app.js";
import {
  BODY_ENDLESS,
  type ClientError,
  MALFORMED,
  MOST_HEADERS,
  refusalOf,
  TOO_MANY_HEADERS,
  writeRefusal,
} from "./refuse.js";

/** The most bytes that Node's parser gets at a time. It cannot be stopped within them, and may find a chunk in each six. */
const SLICE = 1024;

/** What ends a head, and a body in chunks. */
const EMPTY_LINE = "\r\n\r\n";

/** How long a client may read on after the last answer until its connection ends, in milliseconds. */
const LINGER = 1000;

const NOTHING = Buffer.alloc(0);

/**
 * `idle`: every request has its answer. `answering`: one is with the application, or its client has not read the answer;
 * what follows it waits as bytes. `refused`: something was no request, or had a body that cannot be read, and nothing that
 * follows counts.
 */
type State = "idle" | "answering" | "refused";

/** One connection. It has one request in the application, one unread answer, and no other request at a time. */
export class Connection {
  private state: State = "idle";
  /** The answer to the request that was handed over last. */
  private latest?: ServerResponse;
  /** Whether `latest` has its turn still to come. */
  private isDue = false;
  private refusal?: ErrorAnswer;
  /** What has arrived, and waits for the parser. While something waits Node reads no more from the socket. */
  private unread: Buffer = NOTHING;
  /** What the parser reads now. */
  private slice: Buffer = NOTHING;
  /** The last bytes that the parser has got. */
  private tail = "";
  /** What the parser has read of a head, without empty lines before it, up to the slice in which its first line ends. */
  private head = "";
  /** How many bytes the body of `latest` still has; 0 or less if its chunks tell. */
  private bodyLeft = 0;
  /** Gives Node's stream of the socket bytes. */
  private readonly push: (packet: Buffer | null) => boolean;

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
    // Node calls this behind an answer that closes the connection.
    socket.destroySoon = () => this.linger();
  }

  /** Serves a request in its turn. */
  accept(req: IncomingMessage, res: ServerResponse): void {
    if (this.state !== "idle" || !this.socket.writable) return;
    if (req.rawHeaders.length > 2 * MOST_HEADERS) this.refuse(TOO_MANY_HEADERS);
    else if (!this.isHttp1(req)) this.refuse(MALFORMED);
    else {
      this.latest = res;
      this.state = "answering";
      this.bodyLeft = Number(req.headers["content-length"] ?? 0);
      res.once("close", () => this.answered());
      this.isDue = true;
      this.queue(this);
    }
  }

  /** Hands the request whose turn it is to the application. */
  handOver(): void {
    if (!this.isDue || !this.latest) return;
    this.isDue = false;
    this.listener(this.latest.req, this.latest);
  }

  /** Answers bytes that Node's parser did not take. */
  fail({ code, bytesParsed = 0 }: ClientError): void {
    this.refuse(refusalOf(code, this.slice.subarray(bytesParsed), this.app.allow));
  }

  /** Takes nothing more of a body. */
  endBody(): void {
    this.refuse(BODY_ENDLESS);
  }

  /** Closes the connection once it has delivered its answer. */
  closeDelivered(): void {
    if (this.state === "idle") this.socket.destroy();
    else if (!this.latest?.writableFinished) this.latest?.once("close", () => this.closeDelivered());
  }

  /** Ends the connection on which nothing has moved for a while. */
  endSilent(): void {
    if (this.state === "idle") this.socket.destroy();
    // Node's time limit of a request ends one that has not arrived, and has no answer yet.
    else if (!this.inBody || this.latest?.headersSent) this.cut("stalled");
  }

  /** Gives the parser what has arrived, until a request waits for its answer. @returns whether more may arrive */
  private read(): boolean {
    const { socket } = this;
    while (this.unread.length > 0 && this.mayParse) {
      this.slice = this.take();
      this.unread = this.unread.subarray(this.slice.length);
      const text = this.slice.toString("latin1");
      this.tail = (this.tail + text).slice(-EMPTY_LINE.length);
      if (this.inBody) this.bodyLeft -= this.slice.length;
      else if (!this.head.includes("\n")) this.head = (this.head + text).trimStart();
      socket.emit("data", this.slice);
      if (this.state !== "idle") this.head = "";
    }
    this.slice = NOTHING;
    if (this.state === "refused" || socket.writableEnded) this.unread = NOTHING;
    // Behind a refusal nothing arrives until that is sent; then it is dropped. Node reads on only if it was given something,
    // be it empty.
    const mayArrive = this.state !== "refused" || socket.writableEnded;
    return this.unread.length === 0 && mayArrive && this.push(NOTHING);
  }

  private readOn(): void {
    if (this.unread.length > 0) this.read();
  }

  private get mayParse(): boolean {
    const { state, socket } = this;
    return (
      (state === "idle" || (state === "answering" && this.inBody)) && socket.writable && !socket.isPaused()
    );
  }

  /** Whether what follows belongs to the body of `latest`. */
  private get inBody(): boolean {
    return this.latest?.req.complete === false;
  }

  /** What the parser gets next. It ends where a head or a body does, so that none begins while a request waits. */
  private take(): Buffer {
    const next = this.unread.subarray(0, SLICE);
    if (this.inBody && this.bodyLeft > 0) return next.subarray(0, this.bodyLeft);
    const { tail } = this;
    const text = tail + next.toString("latin1");
    let end = text.indexOf(EMPTY_LINE, Math.max(0, tail.length - 3));
    // Of several empty lines, as a body may have, only the first can be an end.
    while (text[end - 1] === "\n") end = text.indexOf(EMPTY_LINE, end + 1);
    return end < 0 ? next : next.subarray(0, end + EMPTY_LINE.length - tail.length);
  }

  /** Whether a request is one of HTTP/1.0 or 1.1. Node's parser takes HTTP/0.9 and 2.0, and RTSP for HTTP. */
  private isHttp1({ method, url, httpVersion }: IncomingMessage): boolean {
    return /^1\.[01]$/.test(httpVersion) && !this.head.startsWith(`${method} ${url} RTSP/`);
  }

  /** Goes on behind an answer that was delivered. */
  private answered(): void {
    if (!this.socket.writable) return;
    if (this.state === "refused") this.endAnswered();
    else {
      this.state = "idle";
      this.readOn();
    }
  }

  private refuse(refusal: ErrorAnswer): void {
    const { state, socket, latest, inBody } = this;
    if (state === "refused") return;
    this.state = "refused";
    this.refusal = refusal;
    // The application answers a request whose body fails.
    this.handOver();
    const toHead = inBody ? latest?.req.method === "HEAD" : this.head.startsWith("HEAD ");
    if (state === "idle" && !inBody) writeRefusal(socket, refusal, this.app, toHead);
    else if (state === "idle") this.endAnswered();
    else if (inBody && !latest?.headersSent) {
      // The reader of the body passes the refusal on to the application. Without a reader nobody waits for the body.
      if (latest?.req.listenerCount("error")) latest.req.emit("error", refusal);
      else writeRefusal(socket, refusal, this.app, toHead);
    }
  }

  /** A request whose body fails after its answer has that answer. */
  private endAnswered(): void {
    if (this.refusal === BODY_ENDLESS) this.cut("body");
    else this.linger();
  }

  /** Lets the client read the last answer. To close at once, while bytes arrive, could lose it in a reset (RFC 9112, section 9.6). */
  private linger(): void {
    const { socket } = this;
    socket.end(() => {
      const end = setTimeout(() => socket.destroy(), LINGER).unref();
      socket.once("close", () => clearTimeout(end));
    });
    this.unread = NOTHING;
    this.push(NOTHING);
  }

  private cut(reason: CutReason): void {
    this.socket.destroy();
    this.app.emit("connectionCut", reason);
  }
}
