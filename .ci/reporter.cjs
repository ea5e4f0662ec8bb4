const { reporters } = require("mocha");

/** The readable report, and after it the one line that counts: `N passed, N failed`. */
module.exports = class extends reporters.Spec {
  epilogue() {
    super.epilogue();
    console.log(`${this.stats.passes} passed, ${this.stats.failures} failed`);
  }
};
