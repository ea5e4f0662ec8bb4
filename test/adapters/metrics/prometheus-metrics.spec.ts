import { expect } from "chai";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.js";

describe("Metrics", () => {
  let metrics: PrometheusMetrics;
  beforeEach(() => {
    metrics = new PrometheusMetrics("1.2.3", false);
  });

  /** The samples of a metric, except buckets. */
  async function samples(name: string): Promise<string[]> {
    const { text } = await metrics.read();
    return text.split("\n").filter((line) => line.startsWith(name) && !line.includes("_bucket{"));
  }

  const LIST = {
    operation: "listPets",
    isDeprecated: false,
    method: "GET",
    status: 200,
    code: undefined,
    key: "mobile",
    seconds: 0.002,
  };

  it("counts requests, errors and deprecated requests", async () => {
    for (const request of [
      LIST,
      LIST,
      { ...LIST, status: 400, code: "invalid_cursor" },
      { ...LIST, operation: "getPet", isDeprecated: true },
      { ...LIST, operation: "getPet", isDeprecated: true, key: undefined, status: 401 },
    ]) {
      metrics.requestStarted();
      metrics.requestFinished(request);
    }
    metrics.requestStarted();
    metrics.requestRejected({ status: 408, code: "request_timeout" });
    const expected = {
      petstore_http_requests_total: [
        '{operation="listPets",method="GET",status="200"} 2',
        '{operation="listPets",method="GET",status="400"} 1',
        '{operation="getPet",method="GET",status="200"} 1',
        '{operation="getPet",method="GET",status="401"} 1',
        '{operation="none",method="other",status="408"} 1',
      ],
      petstore_http_errors_total: ['{code="invalid_cursor"} 1', '{code="request_timeout"} 1'],
      petstore_deprecated_requests_total: ['{operation="getPet",key="mobile"} 1'],
      petstore_http_requests_in_flight: [" 1"],
      petstore_build_info: [`{version="1.2.3",node="${process.version}"} 1`],
    };
    for (const [name, values] of Object.entries(expected)) {
      expect(await samples(name)).to.deep.equal(values.map((value) => name + value));
    }
  });

  it("measures requests and storage operations", async () => {
    metrics.requestFinished(LIST);
    const create = metrics.storageOperation("create");
    create.finished(0.25);
    create.finished(0.5);
    create.failed();
    expect(await samples("petstore_http_request_duration_seconds")).to.deep.equal([
      'petstore_http_request_duration_seconds_sum{operation="listPets"} 0.002',
      'petstore_http_request_duration_seconds_count{operation="listPets"} 1',
    ]);
    expect(await samples("petstore_storage_operation_duration_seconds")).to.deep.equal([
      'petstore_storage_operation_duration_seconds_sum{operation="create"} 0.75',
      'petstore_storage_operation_duration_seconds_count{operation="create"} 2',
    ]);
    expect(await samples("petstore_storage_failures_total")).to.deep.equal([
      'petstore_storage_failures_total{operation="create"} 1',
    ]);
  });

  it("shows when a key was last accepted; a rejected request does not count", async () => {
    const before = Math.floor(Date.now() / 1000);
    metrics.requestFinished(LIST);
    metrics.requestFinished({ ...LIST, key: "expired", status: 401 });
    const [line = "", ...rest] = await samples("petstore_key_last_used_timestamp_seconds");
    expect(rest).to.deep.equal([]);
    const [, seconds] = /^petstore_key_last_used_timestamp_seconds\{key="mobile"\} (\d+)$/.exec(line) ?? [];
    expect(Number(seconds)).to.be.within(before, Date.now() / 1000);
  });

  it("reads the values of other parts at each scrape, and leaves out a gauge without one", async () => {
    let value = Number.NaN;
    const read = () => value;
    metrics.addReading({ name: "petstore_acme_connections", help: "Connections.", type: "gauge", read });
    metrics.addReading({
      name: "petstore_acme_retries_total",
      help: "Retries.",
      type: "counter",
      read: () => 7,
    });
    expect(await samples("petstore_acme")).to.deep.equal(["petstore_acme_retries_total 7"]);
    value = 3;
    for (let scrape = 0; scrape < 2; scrape++) {
      expect(await samples("petstore_acme")).to.deep.equal([
        "petstore_acme_connections 3",
        "petstore_acme_retries_total 7",
      ]);
    }
  });

  for (const name of ["petstore_http_requests_total", "petstore_read_only", "no-metric", ""]) {
    it(`rejects ${JSON.stringify(name)} as the name of a reading`, () => {
      expect(() => metrics.addReading({ name, help: "x", type: "gauge", read: () => 1 })).to.throw();
    });
  }

  it("leaves out readings that throw or are not numbers, and keeps the rest", async () => {
    const broken: unknown[] = ["7", 7n, Promise.resolve(7), null, undefined, Number.NaN, Infinity];
    for (const [n, value] of broken.entries()) {
      for (const type of ["gauge", "counter"] as const) {
        const read = () => value as number;
        metrics.addReading({ name: `petstore_acme_${type}_${n}`, help: "Broken.", type, read });
      }
    }
    const fail = () => expect.fail("broken");
    metrics.addReading({ name: "petstore_acme_gauge", help: "Broken.", type: "gauge", read: fail });
    metrics.addReading({ name: "petstore_acme_counter", help: "Broken.", type: "counter", read: fail });
    metrics.addReading({ name: "petstore_acme_negative", help: "Broken.", type: "counter", read: () => -1 });
    expect(await samples("petstore_acme")).to.deep.equal([]);
    expect(await samples("petstore_http_requests_in_flight")).to.have.length(1);
  });

  it("starts every expected series at 0, so that its first event is an increase", async () => {
    metrics.expectRequests({
      operations: [{ operation: "getPet", methods: ["GET", "HEAD"], isDeprecated: true }],
      statuses: [200, 503],
      codes: ["storage_unavailable"],
      keys: ["mobile"],
    });
    metrics.storageOperation("get");
    for (const [name, labels] of [
      ["petstore_http_requests_total", 'operation="getPet",method="HEAD",status="503"'],
      ["petstore_http_requests_total", 'operation="none",method="other",status="503"'],
      ["petstore_http_request_duration_seconds_count", 'operation="getPet"'],
      ["petstore_http_errors_total", 'code="storage_unavailable"'],
      ["petstore_deprecated_requests_total", 'operation="getPet",key="mobile"'],
      ["petstore_storage_operation_duration_seconds_count", 'operation="get"'],
      ["petstore_storage_failures_total", 'operation="get"'],
    ] as const) {
      expect(await samples(name)).to.include(`${name}{${labels}} 0`);
    }
  });

  it("says whether the service is read-only", async () => {
    expect(await samples("petstore_read_only")).to.deep.equal(["petstore_read_only 0"]);
    metrics = new PrometheusMetrics("1.2.3", true);
    expect(await samples("petstore_read_only")).to.deep.equal(["petstore_read_only 1"]);
  });

  it("has the metrics of Node and of the process", async () => {
    metrics.addProcess();
    expect(await samples("process_resident_memory_bytes")).to.have.length(1);
    expect(await samples("nodejs_version_info")).to.have.length(1);
    expect((await metrics.read()).type).to.match(/^text\/plain; version=0\.0\.4/);
  });
});
