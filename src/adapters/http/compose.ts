import type { Handler } from "./context.js";

/**
 * Makes one handler of several, each the `next` of the one before. A request costs only the `next`s. The
 * first asynchronous handler catches an error that another one throws synchronously.
 */
export function compose(handlers: readonly Handler[]): Handler {
  return handlers.reduceRight((rest, handler) => (ctx, next) => handler(ctx, () => rest(ctx, next)));
}
