// Load this before the service starts (`mocha --require`, `node --import`): it then uses nothing undocumented
// of Node.
import { forceFallbacks } from "../../src/adapters/http/server/node-internals.js";

forceFallbacks();
