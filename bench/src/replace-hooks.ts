import { writeSync } from "node:fs";
import type { ResolveHook } from "node:module";

let replaced: { readonly of?: string; readonly by?: string } = {};

export function initialize(data: typeof replaced): void {
  replaced = data;
}

/** Only modules of the service get the replacement: the replacement itself may build on what it replaces. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const { of, by } = replaced;
  const isPiece = of !== undefined && found.url.endsWith(`/dist/src/${of}`);
  if (!by || !isPiece || context.parentURL?.includes("/bench/dist/pieces/")) return found;
  writeSync(1, `replaced ${of}\n`);
  return { ...found, url: by };
};
