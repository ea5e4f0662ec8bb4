module.exports = {
  require: ["dist-test/test/support/hooks.js"],
  "node-option": ["enable-source-maps"],
  // Only a test that hangs takes so long, on any machine.
  timeout: 60_000,
  "forbid-only": true,
};
