module.exports = {
  "node-option": ["enable-source-maps"],
  // Only a test that hangs takes so long, on any machine.
  timeout: 300_000,
  "forbid-only": true,
};
