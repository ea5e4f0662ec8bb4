import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";

/** While the tests of this block run, timers pass quickly: 5 ms with each turn of the event loop. */
export function inVirtualTime(): void {
  let isOn = false;
  before(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    isOn = true;
    (async () => {
      while (isOn) {
        await setImmediate();
        mock.timers.tick(5);
      }
    })();
  });
  after(() => {
    isOn = false;
    mock.timers.reset();
  });
}
