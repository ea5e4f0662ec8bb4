import { original } from "./original.js";

// Koa's own `ctx.set` for the one that `adapters/http/petstore-app.js` puts before it.
const { PetstoreApp: Own } = await original("adapters/http/petstore-app.js");

export class PetstoreApp extends Own {
  constructor(...parameters: unknown[]) {
    super(...parameters);
    delete this.response.set;
  }
}
