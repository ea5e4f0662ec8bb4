import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { E2E_KEY } from "../support/pets-client.js";
import { endPrograms, runProgram, startProgram } from "../support/start-program.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("OpenTelemetry traces", function () {
  this.timeout(30_000);
  let cwd: string;
  let collector: Server;
  let received: Buffer[];
  let endpoint: string;

  before(async () => {
    cwd = makeFolder();
    collector = createServer(async (request, response) => {
      for await (const chunk of request) received.push(chunk);
      response.end();
    });
    await once(collector.listen(0, "127.0.0.1"), "listening");
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    received = [];
  });
  afterEach(endPrograms);
  after(() => {
    collector.close();
    removeFolder(cwd);
  });

  /** How long the last stop took, in milliseconds. */
  let stopTook = 0;

  async function listOnce(env: Record<string, string>): Promise<string> {
    const settings = { PETSTORE_STORAGE: "memory:", PETSTORE_API_KEY: E2E_KEY, ...env };
    const program = await startProgram({ cwd, env: settings });
    const headers = {
      Authorization: `Bearer ${E2E_KEY}`,
      traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
    };
    expect((await fetch(`${program.origin}/v1/pets`, { headers })).status).to.equal(200);
    const begun = performance.now();
    expect((await program.stop()).code).to.equal(0);
    stopTook = performance.now() - begun;
    return Buffer.concat(received).toString("latin1");
  }

  it("go to OTEL_EXPORTER_OTLP_ENDPOINT, within the trace of the client", async () => {
    const sent = await listOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "pets-here" });
    expect(sent).to.include("GET /v1/pets").and.to.include("storage list").and.to.include("pets-here");
    // Both spans belong to the client's trace, whose id is there twice, as bytes.
    expect(sent.split(Buffer.from(TRACE_ID, "hex").toString("latin1"))).to.have.length(3);
    expect(sent).not.to.include(E2E_KEY);
  });

  it("are off by default, and if OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER says so", async () => {
    expect(await listOnce({})).to.equal("");
    expect(await listOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" })).to.equal("");
    expect(await listOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" })).to.equal(
      "",
    );
  });

  for (const workers of ["1", "2"]) {
    it(`let the program stop in time if the collector is away, PETSTORE_WORKERS=${workers}`, async () => {
      await listOnce({
        PETSTORE_STORAGE: "sqlite:pets.db",
        PETSTORE_WORKERS: workers,
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      });
      expect(stopTook).to.be.below(10_000);
    });
  }

  /** Starts the program so that importing OpenTelemetry throws the value of the expression. */
  function startWithout(failure: string) {
    const hook = `export function resolve(name, context, next) {
      if (name.startsWith("@opentelemetry/")) throw ${failure};
      return next(name, context);
    }`;
    const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
    const register = `import { register } from "node:module"; register(${JSON.stringify(asUrl(hook))});`;
    const env = {
      PETSTORE_STORAGE: "sqlite:unopened.db",
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      NODE_OPTIONS: `--import ${asUrl(register)}`,
    };
    return runProgram({ cwd, env });
  }

  it("name the packages to install if OpenTelemetry is missing, before a storage opens", async () => {
    const { code, stderr } = await startWithout(
      'Object.assign(new Error("Cannot find package " + name), { code: "ERR_MODULE_NOT_FOUND" })',
    );
    expect(stderr).to.include("install beside petstore").and.to.include("@opentelemetry/api@1");
    expect(code).to.equal(1);
    expect(existsSync(join(cwd, "unopened.db"))).to.equal(false);
  });

  it("show the error if OpenTelemetry is there and fails", async () => {
    const { code, stderr } = await startWithout('new Error("It is broken.")');
    expect(stderr).to.include("It is broken.").and.not.to.include("install");
    expect(code).to.equal(1);
  });

  it("refuse a protocol that the program does not speak", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    const { code, stderr } = await runProgram({ cwd, env });
    expect(code).to.equal(2);
    expect(stderr).to.include("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf");
  });
});
