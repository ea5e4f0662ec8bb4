/** The description of the whole document, for every operation. The page folds all but the first section. */
export const GUIDE = `## First request

Every operation is under \`/v1\` and needs an API key, as a bearer token:

\`\`\`
curl http://127.0.0.1:3000/v1/pets \\
  -H "Authorization: Bearer <API_KEY>"
\`\`\`

## API keys

An operator makes API keys; the program prints the first one when it starts for the first time. The letters of the scheme may be of any case. A key in the query is never accepted.

Keys are checked before anything else under \`/v1\`, \`OPTIONS\` and unknown paths included. The answer to a bad credential does not tell whether it is malformed, unknown, expired or revoked.

## Errors

Every answer of 400 or above has the same body, with nothing else in it: \`{"code", "message", "status"}\`; \`status\` repeats the HTTP status. Decide by \`code\`, which is one of the codes listed with each operation; show \`message\` to people.

No input gets a 500. Every 503 says in \`Retry-After\` how long to wait. An instance that stops still answers the requests that reach it, with \`Connection: close\`; only \`/readyz\` of the operator's admin port is then 503 \`shutting_down\`.

## Integers of 64 bits

\`id\` and \`categoryId\` are int64 and exact over all of −2⁶³ … 2⁶³−1. JavaScript's \`JSON.parse\` rounds integers beyond 2⁵³ (9007199254740993 becomes …992): read \`categoryId\` with a parser that keeps them. Ids stay below 2⁵³.

## Media type

Bodies are JSON in UTF-8, in both directions. \`Content-Type\` is exactly \`application/json\`, on errors too: no charset. An \`Accept\` header that rules it out is 406 \`not_acceptable\`.

## Headers of every answer

\`X-Request-Id\` names the request in the operator's log: send your own (1 to 128 letters, digits and \`.\` \`_\` \`-\`) or read the one that the service made. Answers are not to be cached (\`Cache-Control: no-store\`).

If the operator limits the rate of each API key, \`RateLimit\` and \`RateLimit-Policy\` tell how many requests are left, and a request beyond the limit is 429 \`rate_limited\` with \`Retry-After\`. If the operator allows an origin (CORS), its scripts may use the API and read these headers.

## Methods and paths

\`HEAD\` answers as \`GET\` does, without the body. \`OPTIONS\` answers 204 with \`Allow\`. Another method at a known path is 405 with \`Allow\`. Paths are case-sensitive, and \`/v1/pets/\` is not \`/v1/pets\`: 404 \`route_not_found\`, with a hint. Operations without parameters ignore a query. HTTP/1.1 needs exactly one \`Host\` header.`;
