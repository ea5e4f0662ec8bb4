import { AsyncLocalStorage } from "node:async_hooks";
import Mocha from "mocha";

/** A test; or a suite, for its hooks `before` and `after`. */
export type Owner = Mocha.Test | Mocha.Suite;

const owners = new AsyncLocalStorage<Owner | undefined>();

/** The test that made the running callback, however late it runs; undefined outside of all tests and suites. */
export function currentOwner(): Owner | undefined {
  return owners.getStore();
}

const { run } = Mocha.Runnable.prototype;

Mocha.Runnable.prototype.run = function (this: Mocha.Runnable, done) {
  return owners.run(ownerOf(this), () => run.call(this, done));
};

function ownerOf(runnable: Mocha.Runnable): Owner | undefined {
  if (runnable instanceof Mocha.Test) return runnable;
  const { parent } = runnable;
  // A hook of the root suite is the harness.
  if (!parent || parent.root) return undefined;
  return /^"\w+ each"/.test(runnable.title) ? runnable.ctx?.currentTest : parent;
}
