const { writeFileSync } = require("node:fs");
const { reporters } = require("mocha");

/** Prints the readable report, and writes its summary line to the file SUMMARY. */
module.exports = class extends reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures } = this.stats;
    writeFileSync(process.env.SUMMARY, `${passes} passed, ${failures} failed\n`);
  }
};
