import type PromClient from "prom-client";

/**
 * How long a process waits after its start before it loads prom-client, in milliseconds: the start and first
 * requests take precedence.
 */
const SOON = 1000;

/** prom-client, which takes a tenth of a start to load. */
export async function loadPromClient(): Promise<typeof PromClient> {
  return (await import("prom-client")).default;
}

/**
 * Loads prom-client before anybody needs it. Node 20 never again loads a module that it once could not read, so that
 * one scrape without descriptors left would end all later ones.
 */
export function loadPromClientSoon(): void {
  setTimeout(() => loadPromClient().catch(() => {}), SOON).unref();
}
