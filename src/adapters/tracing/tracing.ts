import type { IncomingHttpHeaders } from "node:http";
import { context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Logger } from "pino";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import { tracedPetRepository } from "./traced-pet-repository.js";

/**
 * How long the collector may take to accept the last spans, in milliseconds; the exporter would try for
 * longer.
 */
const CLOSE_PATIENCE = 1500;

/** How a request was answered. */
interface Answer {
  readonly route: string | undefined;
  readonly status: number;
  readonly requestId: string;
}

/**
 * Makes OpenTelemetry's traces: a span for each request, and in it one for each operation of the storage. The
 * SDK reads the collector's address, the sampling and the name of the service from the standard `OTEL_…`
 * variables.
 */
export class Tracing {
  private readonly provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "petstore" }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  private readonly tracer: Tracer;

  constructor(private readonly log: Logger) {
    // This reads traces from the headers of W3C Trace Context, and gives each request a context of its own.
    this.provider.register();
    this.tracer = this.provider.getTracer("petstore");
  }

  async trace(
    { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
    serve: () => Promise<void>,
    answer: () => Answer,
  ): Promise<void> {
    const parent = propagation.extract(context.active(), headers);
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    try {
      await context.with(trace.setSpan(parent, span), serve);
    } finally {
      const { route, status, requestId } = answer();
      if (route) span.updateName(`${method} ${route}`).setAttribute("http.route", route);
      span.setAttributes({
        "http.request.method": method,
        "http.response.status_code": status,
        "petstore.request_id": requestId,
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
  }

  /** Wraps the storage, so that each of its operations makes a span. */
  traced(repository: PetRepository): PetRepository {
    return tracedPetRepository(repository, this.tracer);
  }

  /** Sends the spans that are left, for 1.5 seconds at most. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The collector did not answer in time.")), CLOSE_PATIENCE);
    });
    await Promise.race([this.provider.shutdown(), late])
      .catch((err) => this.log.warn({ err }, "the last traces were not sent"))
      .finally(() => clearTimeout(timer));
  }
}
