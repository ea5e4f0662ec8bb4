import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { leaveOut } from "../../support/left-out.js";
import { describeWithMongodb } from "../../support/mongodb-server.js";
import { BACK, ServiceOnMongodb, WENT } from "../../support/service-on-mongodb.js";

const run = promisify(execFile);
const scripts = process.env.PETSTORE_TEST_MONGODB_SCRIPTS;

// `.ci/run` runs this file alone, because the other suites for MongoDB use the server, too.
if (scripts) {
  describeWithMongodb("The service on a MongoDB that is killed", (url) => {
    const service = new ServiceOnMongodb();
    afterEach(() => service.close());

    it("heals once the database was killed and started again, and has every pet that it acknowledged", async () => {
      await service.start(url);
      const acknowledged = await service.createWhile(() => run(join(scripts, "down"), ["--kill"]));
      await service.expectAway();
      await run(join(scripts, "up"));
      await service.expectHealed();
      for (const id of acknowledged) expect(await service.repository.get(id)).to.include({ id });
      expect(service.messages()).to.deep.equal([WENT, BACK]);
    });
  });
} else leaveOut("MongoDB killed and started again", "set PETSTORE_TEST_MONGODB_SCRIPTS");
