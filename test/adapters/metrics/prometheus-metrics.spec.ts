import { expect } from "chai";
import { PrometheusMetrics } from "../../../src/adapters/metrics/prometheus-metrics.js";

describe("Metrics", () => {
  let metrics: PrometheusMetrics;
  beforeEach(() => {
    metrics = new PrometheusMetrics("1.2.3", false);
  });

  /** Resolves to the samples of the metrics with this prefix, except buckets. */
  async function samples(prefix: string): Promise<string[]> {
    const { text } = await metrics.read();
    return text.split("\n").filter((line) => line.startsWith(prefix) && !line.includes("_bucket{"));
  }

  const REQUEST = {
    isDeprecated: false,
    method: "GET",
    status: 200,
    code: undefined,
    key: "mobile",
    seconds: 0.25,
  };
  const LIST = { ...REQUEST, operation: "listPets" };
  const GET_PET = { ...REQUEST, operation: "getPet", isDeprecated: true };

  it("count and measure requests, rejected bytes and storage operations", async () => {
    const invalid = { ...LIST, status: 400, code: "invalid_cursor" };
    for (const request of [LIST, invalid, GET_PET, { ...GET_PET, key: undefined, status: 401 }]) {
      metrics.requestStarted();
      metrics.requestFinished(request);
    }
    metrics.requestStarted();
    metrics.requestRejected({ status: 408, code: "request_timeout" });
    const create = metrics.storageOperation("create");
    for (const seconds of [0.25, 0.5]) create.finished(seconds);
    create.failed();
    const lines = (await samples("petstore_")).filter((line) => !line.startsWith("petstore_key_last_used"));
    expect(lines).to.have.members([
      'petstore_http_requests_total{operation="listPets",method="GET",status="200"} 1',
      'petstore_http_requests_total{operation="listPets",method="GET",status="400"} 1',
      'petstore_http_requests_total{operation="getPet",method="GET",status="200"} 1',
      'petstore_http_requests_total{operation="getPet",method="GET",status="401"} 1',
      'petstore_http_requests_total{operation="none",method="other",status="408"} 1',
      'petstore_http_request_duration_seconds_sum{operation="listPets"} 0.5',
      'petstore_http_request_duration_seconds_count{operation="listPets"} 2',
      'petstore_http_request_duration_seconds_sum{operation="getPet"} 0.5',
      'petstore_http_request_duration_seconds_count{operation="getPet"} 2',
      "petstore_http_requests_in_flight 1",
      'petstore_http_errors_total{code="invalid_cursor"} 1',
      'petstore_http_errors_total{code="request_timeout"} 1',
      'petstore_deprecated_requests_total{operation="getPet",key="mobile"} 1',
      'petstore_storage_operation_duration_seconds_sum{operation="create"} 0.75',
      'petstore_storage_operation_duration_seconds_count{operation="create"} 2',
      'petstore_storage_failures_total{operation="create"} 1',
      "petstore_read_only 0",
      `petstore_build_info{version="1.2.3",node="${process.version}"} 1`,
    ]);
  });

  it("show when a key was last accepted; a rejected request does not count", async () => {
    const before = Math.floor(Date.now() / 1000);
    metrics.requestFinished(LIST);
    metrics.requestFinished({ ...LIST, key: "expired", status: 401 });
    const [line = "", ...rest] = await samples("petstore_key_last_used_timestamp_seconds");
    expect(rest).to.deep.equal([]);
    expect(line).to.include('{key="mobile"} ');
    expect(Number(line.split(" ")[1])).to.be.within(before, Date.now() / 1000);
  });

  it("start at 0 for known labels, so that the first event is an increase", async () => {
    const keys = ["mobile"];
    metrics.expectRequests({
      operations: [{ operation: "getPet", methods: ["GET", "HEAD"], isDeprecated: true }],
      statuses: [200, 503],
      codes: ["storage_unavailable"],
      keys: () => keys,
    });
    metrics.storageOperation("get");
    await metrics.read();
    keys.push("created-later");
    for (const series of [
      'petstore_http_requests_total{operation="getPet",method="HEAD",status="503"}',
      'petstore_http_request_duration_seconds_count{operation="getPet"}',
      'petstore_http_errors_total{code="storage_unavailable"}',
      'petstore_deprecated_requests_total{operation="getPet",key="mobile"}',
      'petstore_deprecated_requests_total{operation="getPet",key="created-later"}',
      'petstore_storage_operation_duration_seconds_count{operation="get"}',
      'petstore_storage_failures_total{operation="get"}',
    ]) {
      expect(await samples(series)).to.deep.equal([`${series} 0`]);
    }
  });

  it("leave out a reading that throws or returns a value outside its type, and nothing else", async () => {
    let read: () => unknown;
    for (const type of ["gauge", "counter"] as const)
      metrics.addReading({ name: `acme_${type}`, help: "Acme.", type, read: () => read() as number });
    for (const [value, expected] of [
      [7, ["acme_gauge 7", "acme_counter 7"]],
      [-1, ["acme_gauge -1"]],
      ["7", []],
      [7n, []],
      [Promise.resolve(7), []],
      [Infinity, []],
      [8, ["acme_gauge 8", "acme_counter 8"]],
    ] as const) {
      read = () => value;
      expect(await samples("acme")).to.deep.equal(expected);
    }
    read = () => expect.fail("broken");
    expect(await samples("acme")).to.deep.equal([]);
    expect(await samples("petstore_read_only")).to.deep.equal(["petstore_read_only 0"]);
  });
});
