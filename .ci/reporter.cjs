const { appendFileSync } = require("node:fs");
const { reporters } = require("mocha");

/**
 * Prints the readable report, and adds to the file SUMMARY a line with its counts and one for each failure. A test that was
 * left out has failed, unless its title says why nothing can ask it, or LEAVE_OUT is set.
 */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    this.failed = [];
    runner.on("fail", (test, error) => {
      const [why] = `${error?.message ?? error}`.split("\n");
      this.failed.push(`${test.fullTitle()}: ${why.slice(0, 200)}`);
    });
    runner.on("pending", (test) => {
      if (!process.env.LEAVE_OUT && !test.title.includes("(not asked, since"))
        this.failed.push(`${test.fullTitle()}: was left out`);
    });
  }

  epilogue() {
    super.epilogue();
    const lines = [
      `${this.stats.passes} passed, ${this.failed.length} failed`,
      ...this.failed.map((one) => `failed: ${one}`),
    ];
    appendFileSync(process.env.SUMMARY, `${lines.join("\n")}\n`);
  }
};
