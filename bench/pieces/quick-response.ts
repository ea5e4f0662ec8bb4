// Node's own response for that of `adapters/http/server/quick-response.js`.
export { ServerResponse as QuickResponse } from "node:http";
