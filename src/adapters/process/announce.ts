/** Whether somebody reads what the program prints: under systemd the journal would keep the first key for all its readers. */
export function isWatched({ NOTIFY_SOCKET, INVOCATION_ID }: NodeJS.ProcessEnv): boolean {
  return process.stdout.isTTY || !(NOTIFY_SOCKET || INVOCATION_ID);
}

/** Resolves to whether standard output took the key; if not, the log has said that it takes nothing. */
export function showFirstKey(key: string): Promise<boolean> {
  const line = `The first API key was made. It is shown only now: ${key}\n`;
  return new Promise((resolve) => process.stdout.write(line, (error) => resolve(!error)));
}

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
