import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { post } from "../support/client.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { API_KEY } from "../support/start-app.js";
import { endPrograms, startProgram } from "../support/start-program.js";
import { makeFolder } from "../support/temporary-folder.js";

/** The package and its version that docs/observability.md names; later ones need a newer Node than 20. */
const PACKAGE = "@opentelemetry/auto-instrumentations-node@0.81";
const REGISTER = "node_modules/@opentelemetry/auto-instrumentations-node/build/src/register.js";

interface Span {
  readonly traceId: string;
  readonly name: string;
}

describeWithMongodb("OpenTelemetry, started by NODE_OPTIONS", (mongodb) => {
  let folder: string;
  let collector: Server;
  let received: string[];

  before(async () => {
    folder = makeFolder();
    await promisify(execFile)("npm", ["install", "--ignore-scripts", "--no-audit", PACKAGE], { cwd: folder });
    received = [];
    collector = createServer(async (request, response) => {
      received.push(await text(request));
      response.end("{}");
    });
    await once(collector.listen(0, "127.0.0.1"), "listening");
  });
  after(async () => {
    await endPrograms();
    collector.close();
  });

  it("sends the span of a create over HTTP, and in it that of the insert into MongoDB", async () => {
    const program = await startProgram({
      cwd: folder,
      env: {
        PETSTORE_STORAGE: mongodb,
        NODE_OPTIONS: `--import=${join(folder, REGISTER)}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_METRICS_EXPORTER: "none",
        OTEL_LOGS_EXPORTER: "none",
        OTEL_NODE_RESOURCE_DETECTORS: "env",
      },
    });
    expect((await post(program, '{"name":"Rex","categoryId":1}')).status).to.equal(201);
    expect((await program.stop()).code).to.equal(0);
    const spans = received.flatMap(spansOf);
    const request = spans.find(({ name }) => name.startsWith("POST"));
    const insert = spans.find(({ name }) => name.startsWith("insert pets"));
    expect(request, JSON.stringify(spans)).to.be.an("object");
    expect(insert?.traceId).to.equal(request?.traceId);
    expect(received.join()).not.to.include(API_KEY).and.not.to.include("Rex");
  });
});

function spansOf(body: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(body) as {
    resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
