import { endConnections } from "./kept-connections.js";

// Mocha loads this before the spec files.

export const mochaHooks = {
  afterEach: endConnections,
};
