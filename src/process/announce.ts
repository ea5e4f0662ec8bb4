/** Prints the addresses, the API's first, in one write: programs wait for the lines, and must not read half of them. */
export function announce(
  { api, admin, storage }: Readonly<Record<"api" | "admin" | "storage", string>>,
  firstKey: string | undefined,
): void {
  const [, path] = /^unix:(.+)/.exec(api) ?? [];
  const lines = [
    `petstore listens on ${api}`,
    `  documentation  ${path ? "/docs" : `${api}/docs`}`,
    `  admin port     ${admin}`,
    `  storage        ${storage}`,
  ];
  const address = path ? `--unix-socket ${path} http://localhost` : api;
  if (firstKey) lines.push(`Try it: curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`);
  console.log(lines.join("\n"));
}
