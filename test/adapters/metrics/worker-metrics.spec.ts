import { expect } from "chai";
import type { MetricReading } from "../../../src/adapters/metrics/readings.js";
import { WorkerMetrics } from "../../../src/adapters/metrics/worker-metrics.js";
import { captureLog } from "../../support/captured-log.js";

function counted(name: string, value: number, aggregator = "sum"): MetricReading {
  const reading = { name, help: name, type: "counter", aggregator, values: [{ labels: {}, value }] };
  return reading as MetricReading;
}

describe("WorkerMetrics", () => {
  it("adds up the numbers of the workers that run and of those that have ended", async () => {
    const metrics = new WorkerMetrics(captureLog().log);
    metrics.retire([counted("pets", 1)]);
    metrics.retire([counted("pets", 2)]);
    const { text } = await metrics.read([[counted("pets", 4)], [counted("pets", 8)]]);
    expect(text).to.include("pets 15\n").and.include("petstore_workers 2\n");
  });

  it("shows the greatest of the numbers that all workers share", async () => {
    const metrics = new WorkerMetrics(captureLog().log);
    const readings = [4, 8].map((value) => [{ ...counted("size", value, "max"), type: "gauge" } as const]);
    expect((await metrics.read(readings)).text).to.include("size 8\n");
  });

  it("leaves out a worker's totals if they cannot be added, and logs that", async () => {
    const { log, lines } = captureLog();
    const metrics = new WorkerMetrics(log);
    metrics.retire([counted("pets", 1)]);
    metrics.retire([counted("pets", 2), counted("cats", 2, "of another version")]);
    metrics.retire([counted("pets", 4)]);
    const { text } = await metrics.read([]);
    expect(text).to.include("pets 5\n");
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      "the totals of a worker that ended are lost; the metrics go on without them",
    ]);
  });
});
