#!/usr/bin/env node

// At this signal, a usual one for the rotation of logs, Node opens its debugger unless somebody listens.
process.on("SIGUSR1", () => {});

// Only what is imported later can fail with a message.
await import("./run.js").catch((error: NodeJS.ErrnoException) => {
  if (!/EMFILE|ENFILE/.test(`${error.code} ${error.message}`)) throw error;
  console.error(
    "petstore: too few files may be open at once; raise the limit, e.g. to 65536 (ulimit -n, or LimitNOFILE= of the unit).",
  );
  process.exitCode = 1;
});
