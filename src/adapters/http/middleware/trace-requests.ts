import type { IncomingHttpHeaders } from "node:http";
import type { Context, Handler } from "../context.js";

/** Makes traces of requests, if an operator has turned that on. `src/adapters/tracing/tracing.ts` implements it. */
export interface RequestTracer {
  /**
   * Runs `serve` within the trace that the header `traceparent` names, or a new one. Then `answer` describes the
   * answer.
   */
  trace(
    request: { readonly method: string; readonly headers: IncomingHttpHeaders },
    serve: () => Promise<void>,
    answer: () => TracedAnswer,
  ): Promise<void>;
}

interface TracedAnswer {
  /** The path of the route, e.g. `/v1/pets/:petId`; undefined if the request took none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly requestId: string;
}

export function traceRequests(tracer: RequestTracer): Handler {
  return (ctx: Context & { readonly routerPath?: string }, next) =>
    tracer.trace(ctx.req as { method: string; headers: IncomingHttpHeaders }, next, () => ({
      route: ctx.routerPath,
      status: ctx.res.statusCode,
      requestId: ctx.state.requestId,
    }));
}
