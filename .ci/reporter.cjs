const { appendFileSync } = require("node:fs");
const { reporters } = require("mocha");

/**
 * Prints the readable report, and adds a line with its counts to the file SUMMARY. A test that was left out has failed,
 * unless its title says why nothing can ask it, or LEAVE_OUT is set.
 */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.leftOut = [];
    runner.on("pending", (test) => {
      if (!process.env.LEAVE_OUT && !test.title.includes("(not asked, since")) this.leftOut.push(test.title);
    });
  }

  epilogue() {
    super.epilogue();
    for (const title of this.leftOut) console.log(`left out, which is a failure here: ${title}`);
    const { passes, failures } = this.stats;
    appendFileSync(process.env.SUMMARY, `${passes} passed, ${failures + this.leftOut.length} failed\n`);
  }
};
