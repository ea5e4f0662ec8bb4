import type { Logger } from "pino";
import type { Tracing } from "./tracing.js";

/**
 * Makes traces if the operator wants them (`wantsTraces` of `settings.ts`). Otherwise it does not load OpenTelemetry.
 *
 * @throws Error that says what to install, if OpenTelemetry's packages are missing
 */
export async function loadTracing(
  isWanted: boolean,
  { logger }: { readonly logger: Logger },
): Promise<Tracing | undefined> {
  if (!isWanted) return undefined;
  const { Tracing } = await import("./tracing.js").catch((cause) => {
    if (cause.code !== "ERR_MODULE_NOT_FOUND" || !cause.message.includes("@opentelemetry/")) throw cause;
    const packages =
      "@opentelemetry/api@1 @opentelemetry/resources@2.8 @opentelemetry/sdk-trace-node@2.8 " +
      "@opentelemetry/exporter-trace-otlp-proto@0.219";
    throw new Error(
      "Traces are turned on by OTEL_…, and cannot be made; install beside petstore, with the --global and --prefix " +
        `that it was installed with: ${packages}`,
      { cause },
    );
  });
  return new Tracing(logger);
}
