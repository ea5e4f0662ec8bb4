import fs, { rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openSwitch, type Switch } from "../../../src/adapters/switches/open-switch.js";
import { eventually } from "../../support/eventually.js";
import { makeFolder, removeFolder } from "../../support/temporary-folder.js";

describe("openSwitch", () => {
  let folder: string;
  let opened: Switch | undefined;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => {
    opened?.close();
    mock.restoreAll();
    syncBuiltinESMExports();
    removeFolder(folder);
  });

  it("follows a file, and never waits for the disk after the start", async () => {
    const file = join(folder, "read-only");
    opened = openSwitch({ file });
    const { isOn } = opened;
    expect(isOn()).to.equal(false);
    const waiting = (["existsSync", "statSync", "accessSync"] as const).map((name) =>
      mock.method(fs, name, () => expect.fail("waits for the disk")),
    );
    syncBuiltinESMExports();
    for (let round = 0; round < 2; round++) {
      writeFileSync(file, "");
      await eventually(() => isOn() || undefined);
      rmSync(file);
      await eventually(() => !isOn() || undefined);
    }
    for (const method of waiting) expect(method.mock.callCount()).to.equal(0);
  });

  it("looks once while the disk stands still", async () => {
    const look = mock.method(fs.promises, "stat", () => new Promise(() => {}));
    syncBuiltinESMExports();
    opened = openSwitch({ file: join(folder, "read-only") });
    await sleep(1300);
    expect(look.mock.callCount()).to.equal(1);
  });

  it("knows a file that is there at the start", () => {
    writeFileSync(join(folder, "read-only"), "");
    opened = openSwitch({ file: join(folder, "read-only") });
    expect(opened.isOn()).to.equal(true);
  });
});
