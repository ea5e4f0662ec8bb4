module.exports = {
  "node-option": ["enable-source-maps"],
  // Only a test that hangs takes this long, on any machine.
  timeout: 300_000,
  "forbid-only": true,
};
