import { expect } from "chai";
import { Metrics } from "../../../src/adapters/metrics/metrics.js";

describe("Metrics", () => {
  let metrics: Metrics;

  /** The lines of these metrics, without help, types and buckets. */
  async function samples(prefix: string): Promise<string[]> {
    const { text } = await metrics.read();
    return text.split("\n").filter((line) => line.startsWith(prefix) && !line.includes("_bucket{"));
  }

  beforeEach(() => {
    metrics = new Metrics("1.2.3");
  });

  const LIST = { operation: "listPets", method: "GET", status: 200, code: undefined, key: "a", seconds: 1 };

  it("counts requests by operation, method and status", async () => {
    metrics.requestFinished(LIST);
    metrics.requestFinished(LIST);
    metrics.requestFinished({ ...LIST, status: 400, code: "invalid_cursor" });
    metrics.requestRefused({ status: 408, code: "request_timeout" });
    expect(await samples("petstore_http_requests_total")).to.deep.equal([
      'petstore_http_requests_total{operation="listPets",method="GET",status="200"} 2',
      'petstore_http_requests_total{operation="listPets",method="GET",status="400"} 1',
      'petstore_http_requests_total{operation="none",method="other",status="408"} 1',
    ]);
    expect(await samples("petstore_http_errors_total")).to.deep.equal([
      'petstore_http_errors_total{code="invalid_cursor"} 1',
      'petstore_http_errors_total{code="request_timeout"} 1',
    ]);
  });

  it("counts connections that were cut, by the reason", async () => {
    for (const reason of ["stalled", "excess", "stalled"]) metrics.connectionCut(reason);
    expect(await samples("petstore_http_connections_cut_total")).to.deep.equal([
      'petstore_http_connections_cut_total{reason="stalled"} 2',
      'petstore_http_connections_cut_total{reason="excess"} 1',
    ]);
  });

  it("has the versions that it runs", async () => {
    expect(await samples("petstore_build_info")).to.deep.equal([
      `petstore_build_info{version="1.2.3",node="${process.version}"} 1`,
    ]);
  });

  it("knows how many requests are in flight", async () => {
    metrics.requestStarted();
    metrics.requestStarted();
    metrics.requestFinished(LIST);
    const inFlight = "petstore_http_requests_in_flight";
    expect(await samples(inFlight)).to.deep.equal([`${inFlight} 1`]);
  });

  it("sorts durations into cumulative buckets, a duration on a bound into the bucket below it", async () => {
    for (const seconds of [0.0005, 0.002, 0.01, 11]) metrics.requestFinished({ ...LIST, seconds });
    const { text } = await metrics.read();
    const buckets = [...text.matchAll(/duration_seconds_bucket\{operation="listPets",le="(.*)"\} (\d+)/g)];
    expect(buckets.map(([, bound, count]) => `${bound}:${count}`).join(" ")).to.equal(
      "0.0005:1 0.001:1 0.0025:2 0.005:2 0.01:3 0.025:3 0.05:3 0.1:3 0.25:3 0.5:3 1:3 2.5:3 5:3 10:3 +Inf:4",
    );
    expect(await samples("petstore_http_request_duration_seconds")).to.deep.equal([
      'petstore_http_request_duration_seconds_sum{operation="listPets"} 11.0125',
      'petstore_http_request_duration_seconds_count{operation="listPets"} 4',
    ]);
  });

  it("counts the use of a deprecated operation by key, and of no other", async () => {
    metrics.requestFinished(LIST);
    metrics.requestFinished({ ...LIST, operation: "getPet", isDeprecated: true });
    metrics.requestFinished({ ...LIST, operation: "getPet", isDeprecated: true, key: undefined });
    expect(await samples("petstore_deprecated_requests_total")).to.deep.equal([
      'petstore_deprecated_requests_total{operation="getPet",key="a"} 1',
    ]);
  });

  it("shows to the minute when a key was last used, and not that it was refused", async () => {
    const before = Date.now() / 1000;
    metrics.requestFinished(LIST);
    metrics.requestFinished({ ...LIST, status: 401, key: "expired" });
    const [sample = "", ...others] = await samples("petstore_key_last_used_timestamp_seconds");
    const [, at] = /^petstore_key_last_used_timestamp_seconds\{key="a"\} (\d+)$/.exec(sample) ?? [];
    expect(Number(at) % 60).to.equal(0);
    expect(Number(at)).to.be.within(before - 60, before + 60);
    expect(others).to.deep.equal([]);
  });

  it("shows numbers of other parts of the program, and Node's own event-loop lag", async () => {
    let answer = 41;
    metrics.add({ name: "petstore_answer", help: "The answer.", type: "gauge", read: () => answer });
    answer++;
    const { type, text } = await metrics.read();
    expect(type).to.equal("text/plain; version=0.0.4; charset=utf-8");
    const shown = "# HELP petstore_answer The answer.\n# TYPE petstore_answer gauge\npetstore_answer 42\n";
    expect(text).to.include(shown);
    expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  for (const name of ["", "a b", "9lives", "petstore_http_requests_total", "nodejs_gc", "process_cpu"]) {
    it(`refuses the name ${JSON.stringify(name)}, which is malformed, reserved or taken`, () => {
      expect(() => metrics.add({ name, help: "x", type: "gauge", read: () => 1 })).to.throw(
        `A metric cannot be named ${name}: `,
      );
    });
  }

  it("leaves out a number that cannot be read or is none, and shows a number that is added late", async () => {
    const fail = () => expect.fail("away");
    for (const [index, read] of [fail, () => Number.NaN, () => Infinity].entries()) {
      const reading = { name: `acme_none_${index}`, help: "x", type: "gauge", read } as const;
      metrics.add(reading);
      expect(() => metrics.add(reading)).to.throw("taken already");
    }
    expect((await metrics.read()).text).to.not.include("acme_none");
    metrics.add({ name: "acme_late", help: "x", type: "counter", read: () => 7 });
    expect((await metrics.read()).text).to.match(/^acme_late 7$/m);
  });

  it("measures the operations of a storage, and counts those that fail", async () => {
    for (const name of ["create", "list", "get"]) metrics.storageOperation(name, 0.1, name === "get");
    const counts = (await samples("petstore_storage_operation_duration_seconds_count")).join("\n");
    expect(counts.match(/"\w+"\} \d/g)).to.deep.equal(['"create"} 1', '"list"} 1', '"get"} 1']);
    expect(await samples("petstore_storage_failures_total")).to.deep.equal([
      'petstore_storage_failures_total{operation="get"} 1',
    ]);
  });
});
