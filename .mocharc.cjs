// `npm test` builds into a folder of its own; a single file runs from the folder of `npm run build`.
const folder = process.argv.some((argument) => argument.includes("dist-test/")) ? "dist-test" : "dist";

module.exports = {
  require: [`${folder}/test/support/tiers.js`, `${folder}/test/support/leftovers.js`],
  "node-option": ["enable-source-maps"],
  // Only a test that hangs takes so long, on any machine.
  timeout: 600_000,
  "forbid-only": true,
};
