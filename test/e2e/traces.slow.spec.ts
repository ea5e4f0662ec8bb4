import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { get, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { describeWithMongodb } from "../support/mongodb-server.js";
import { API_KEY } from "../support/start-app.js";
import { endPrograms, type Program, startProgram } from "../support/start-program.js";
import { makeFolder } from "../support/temporary-folder.js";

/** The package and its version that docs/observability.md names; later ones need a newer Node than 20. */
const PACKAGE = "@opentelemetry/auto-instrumentations-node@0.81";
const REGISTER = "node_modules/@opentelemetry/auto-instrumentations-node/build/src/register.js";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** The kind of a span that a server makes (OTLP, SPAN_KIND_SERVER). */
const SERVER = 2;

describeWithMongodb("OpenTelemetry, started by NODE_OPTIONS", (mongodb) => {
  let folder: string;
  let collector: Server;
  let received: string[];

  before(async () => {
    folder = makeFolder();
    await promisify(execFile)("npm", [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--prefix",
      folder,
      PACKAGE,
    ]);
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

  function start(endpoint: string): Promise<Program> {
    const [, settings = ""] =
      /^NODE_OPTIONS=.*\n((?:OTEL_.*\n)+)/m.exec(readFileSync("docs/observability.md", "utf8")) ?? [];
    const lines = settings.trim().split("\n");
    const documented = Object.fromEntries(lines.map((line) => line.split("=")));
    return startProgram({
      cwd: folder,
      env: {
        ...documented,
        PETSTORE_STORAGE: mongodb,
        NODE_OPTIONS: `--import=${join(folder, REGISTER)}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        // Sooner than by default.
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_BSP_SCHEDULE_DELAY: "100",
      },
    });
  }

  it("sends what docs/observability.md promises of spans, and no more", async () => {
    const program = await start(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
    const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    expect((await post(program, '{"name":"Rex","categoryId":1}', { headers })).status).to.equal(201);
    await get(program, "/v1/pets/1?api_key=sent-in-the-query");
    await program.readiness();
    expect((await program.stop()).code).to.equal(0);

    const spans = received.flatMap(spansOf);
    const serving = spans.filter(({ kind }) => kind === SERVER);
    expect(serving.map(({ name }) => name)).to.deep.equal(["POST", "GET", "GET"]);
    expect(attributesOf(serving[0])).to.include({ "url.path": "/v1/pets", "http.response.status_code": 201 });
    expect(attributesOf(serving[0])).not.to.have.any.keys("http.route", "url.query");
    const query = "api_key=sent-in-the-query";
    expect(attributesOf(serving[1])).to.include({ "url.path": "/v1/pets/1", "url.query": query });
    expect(attributesOf(serving[2])).to.include({ "url.path": "/readyz" });
    const insert = spans.find(({ name }) => name.startsWith("insert pets"));
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    expect(insert).to.include({ traceId, parentSpanId: serving[0]?.spanId });
    expect(received.join()).not.to.include(API_KEY).and.not.to.include("Rex");
    expect(program.stdout).to.include('"operation":"createPet"').and.not.to.include("trace");
  });

  it("says on standard error that the collector is away", async () => {
    const program = await start(`http://127.0.0.1:${await freePort()}`);
    await get(program, "/v1/pets");
    await until(() => program.stderr.includes("ECONNREFUSED"));
    expect((await program.stop()).code).to.equal(0);
  });
});

function spansOf(body: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(body) as {
    resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function attributesOf(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}
