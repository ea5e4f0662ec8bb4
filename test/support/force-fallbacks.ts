// To be loaded before anything is served (`mocha --require`, `node --import`): nothing undocumented of Node is used then.
import { forceFallbacks } from "../../src/adapters/http/server/node-internals.js";

forceFallbacks();
