import { SpanStatusCode } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { tracedPetRepository } from "../../../src/adapters/tracing/traced-pet-repository.js";
import { describeContract } from "../../../src/contracts/storage-contract.js";

const exporter = new InMemorySpanExporter();
const tracer = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("");

describe("tracedPetRepository", () => {
  describeContract({ open: async () => tracedPetRepository(new MemoryPetRepository(), tracer) });

  it("makes a span for each operation but ping, marks the spans of failures, and passes the failure on", async () => {
    const memory = new MemoryPetRepository();
    memory.get = () => Promise.reject(new Error("away"));
    const repository = tracedPetRepository(memory, tracer);
    exporter.reset();
    await repository.create({ name: "Rex", categoryId: 1n, status: "sold" });
    await repository.list({ status: undefined, after: 0n, limit: 1 });
    await repository.ping();
    const error = await repository.get(1n).catch((reason) => reason);
    expect(error).to.have.property("message", "away");
    expect(exporter.getFinishedSpans().map(({ name, status }) => [name, status.code])).to.deep.equal([
      ["storage create", SpanStatusCode.UNSET],
      ["storage list", SpanStatusCode.UNSET],
      ["storage get", SpanStatusCode.ERROR],
    ]);
  });
});
