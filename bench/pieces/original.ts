/** The module of the service that a piece here stands in for, or another one. */
// biome-ignore lint/suspicious/noExplicitAny: the service is built apart from its benchmarks
export function original(path: string): Promise<any> {
  return import(new URL(`../../../dist/src/${path}`, import.meta.url).href);
}
