import type { Handler } from "./context.js";

/**
 * One handler that runs several, each as the `next` of the one before. Nothing is made per request but the `next`s;
 * what is thrown at once, not as a rejection, is for the first asynchronous handler to catch.
 */
export function compose(handlers: readonly Handler[]): Handler {
  return handlers.reduceRight((rest, handler) => (ctx, next) => handler(ctx, () => rest(ctx, next)));
}
