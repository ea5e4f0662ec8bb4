import { setTimeout as sleep } from "node:timers/promises";
import memory from "/usr/lib/petstore/lib/node_modules/petstore/dist/src/adapters/memory/memory-adapter.js";

/** A storage that takes longer to close than the unit's TimeoutStopSec. */
export default {
  ...memory,
  schemes: ["slow"],
  form: "slow:",
  check: () => undefined,
  open: async (...args) => ({ ...(await memory.open(...args)), close: () => sleep(33_000) }),
};
