const { appendFileSync } = require("node:fs");
const { reporters } = require("mocha");

/** Prints the readable report, and adds a line with its counts to the file SUMMARY. */
module.exports = class extends reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures } = this.stats;
    appendFileSync(process.env.SUMMARY, `${passes} passed, ${failures} failed\n`);
  }
};
