import Koa from "koa";
import { original } from "./original.js";

// Koa's own `callback` and `respond` for those of `adapters/http/petstore-app.js` and `answer/write-answer.js`.
const { PetstoreApp: Own } = await original("adapters/http/petstore-app.js");

export class PetstoreApp extends Own {}
PetstoreApp.prototype.callback = Koa.prototype.callback;
