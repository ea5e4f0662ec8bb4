import { ServerResponse } from "node:http";
import { original } from "./original.js";

// Node's own `end` for that of `adapters/http/server/quick-response.js`: head and body are two strings.
const { QuickResponse: Own } = await original("adapters/http/server/quick-response.js");

export class QuickResponse extends Own {}
QuickResponse.prototype.end = ServerResponse.prototype.end;
