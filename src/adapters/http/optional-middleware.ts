/** Loads middleware that operators turn on by a setting, and only that. */
import type { Handler } from "./context.js";
import type { ClientAddress } from "./middleware/observe-requests.js";

export async function loadClientAddress(proxies?: readonly string[]): Promise<ClientAddress | undefined> {
  return proxies && (await import("./middleware/client-address.js")).clientAddressBehind(proxies);
}

export async function loadCors(origins?: readonly string[]): Promise<Handler | undefined> {
  return origins && (await import("./middleware/cors.js")).allowOrigins(origins);
}

export async function loadRateLimit(rate?: {
  readonly requests: number;
  readonly seconds: number;
}): Promise<Handler | undefined> {
  return rate && (await import("./middleware/limit-rate.js")).limitRate(rate);
}
