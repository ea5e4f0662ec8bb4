/** A panel's request without its Authorization header. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Returns a command that sends the request with the key in $API_KEY, and prints the whole response. */
export function curlCommand({ method, url, headers, body }: ApiRequest): string {
  const options = [`curl ${quote(url)}`, '-i -H "Authorization: Bearer $API_KEY"'];
  if (method !== (body === undefined ? "GET" : "POST")) options.push(`-X ${method}`);
  for (const [name, value] of Object.entries(headers)) options.push(`-H ${quote(`${name}: ${value}`)}`);
  // Unlike --data, --data-raw does not treat a leading @ as a file name.
  if (body !== undefined) options.push(`--data-raw ${quote(body)}`);
  return options.join(" \\\n  ");
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
