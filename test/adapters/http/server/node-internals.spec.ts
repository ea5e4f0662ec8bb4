import { readdirSync, readFileSync } from "node:fs";
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { Server as ListeningServer } from "node:net";
import { expect } from "chai";
import { collectGarbage, type Node, probeNode } from "../../../../src/adapters/http/server/node-internals.js";
import { QuickResponse } from "../../../../src/adapters/http/server/quick-response.js";

const QUICK = QuickResponse as unknown as typeof ServerResponse;
const NODE: Node = { createServer, closeListening: ListeningServer.prototype.close };
const ALL = { oneString: true, halfOpen: true, letGo: true, closeAlone: true };

/** Node, if its servers were different. */
function changed(change: (server: Server) => void): Node {
  const create = (options: ServerOptions, listener?: RequestListener) => {
    const server = createServer(options ?? {}, listener);
    change(server);
    return server;
  };
  return { ...NODE, createServer: create as unknown as typeof createServer };
}

/** A response whose head Node would no longer take from `_header`. */
class HeadElsewhere extends QuickResponse {
  get _header(): string | null {
    return this.made?.slice(0, 40) ?? null;
  }
  set _header(made: string | null) {
    this.made = made;
  }
  private made: string | null = null;
}

class BodyLost extends QuickResponse {
  override end(): this {
    return super.end("");
  }
}

describe("The probe of Node's inside", () => {
  it(`finds ${process.version} as expected`, () => {
    expect(probeNode(QUICK)).to.deep.equal(ALL);
  });

  for (const [name, response] of [
    ["makes the head elsewhere", HeadElsewhere],
    ["sends no body", BodyLost],
  ] as const) {
    it(`finds a response that ${name}`, () => {
      const found = probeNode(response as unknown as typeof ServerResponse);
      expect(found).to.deep.equal({ ...ALL, oneString: false });
    });
  }

  it("finds a server that ignores httpAllowHalfOpen", () => {
    const node = changed((server) => {
      Object.defineProperty(server, "httpAllowHalfOpen", { get: () => false, set: () => {} });
    });
    expect(probeNode(QUICK, node)).to.deep.equal({ ...ALL, halfOpen: false });
  });

  it("finds a server that reads in other ways than by listeners", () => {
    const node = changed((server) => {
      server.prependListener("connection", (socket) => {
        socket.removeAllListeners = () => socket;
      });
    });
    expect(probeNode(QUICK, node)).to.deep.equal({ ...ALL, letGo: false });
  });

  it("finds a close that cuts idle connections", () => {
    const closeListening: Node["closeListening"] = function (this: ListeningServer, done) {
      (this as Server).closeIdleConnections();
      return ListeningServer.prototype.close.call(this, done) as ListeningServer;
    };
    expect(probeNode(QUICK, { ...NODE, closeListening })).to.deep.equal({ ...ALL, closeAlone: false });
  });

  it("takes the documented ways if a probe throws", () => {
    const create = () => {
      throw new Error("no such thing");
    };
    const node = { ...NODE, createServer: create as unknown as typeof createServer };
    const none = { oneString: false, halfOpen: false, letGo: false, closeAlone: false };
    expect(probeNode(QUICK, node)).to.deep.equal(none);
  });
});

/** A member that begins with an underscore, except for MongoDB's _id, or another name that Node does not document. */
const UNDOCUMENTED =
  /(?:\.|\{ ?)_(?!id\b)\w|httpAllowHalfOpen|removeAllListeners\((?!"error"\))|\.prototype\.|\.parser\b|binding\(/;

describe("A name that Node does not document", () => {
  it("stands in two files alone", () => {
    const src = new URL("../../../../../src/", import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .filter((file) => UNDOCUMENTED.test(withoutComments(readFileSync(new URL(file, src), "utf8"))));
    expect(files.sort()).to.deep.equal([
      "adapters/http/server/half-open.ts",
      "adapters/http/server/node-internals.ts",
    ]);
  });

  for (const planted of [
    "socket._httpMessage",
    "const { _header } = res",
    "server.httpAllowHalfOpen = true",
  ]) {
    it(`is seen in ${planted}`, () => {
      expect(UNDOCUMENTED.test(withoutComments(`// ours\n${planted};`))).to.equal(true);
    });
  }
});

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
}

describe("A collection of garbage", () => {
  it("frees what nobody holds any longer", async () => {
    const left = new WeakRef({});
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(left.deref()).to.equal(undefined);
  });
});
