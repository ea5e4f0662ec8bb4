import { type Outage, STORAGE_CONTRACT } from "../../../src/storage-kit/storage-contract.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { openMongodb } from "../../support/open-storages.js";

const CASES = STORAGE_CONTRACT.filter(({ name }) => /^(outage|pause): /.test(name));

describeWithMongodb("MongodbPetRepository, as it keeps the contract of outages", (url) => {
  let proxy: MongodbProxy;
  beforeEach(async () => {
    proxy = await MongodbProxy.start(url);
  });
  afterEach(() => proxy.stop());

  const outage: Outage = { down: () => proxy.kill(), up: () => proxy.revive() };
  const pause: Outage = {
    async down() {
      proxy.trouble = { silent: true };
    },
    async up() {
      proxy.trouble = {};
    },
  };
  const reopen = () => openMongodb(proxy.urlOf(url));
  async function open() {
    await dropDatabase(url);
    return reopen();
  }
  for (const { name, run } of CASES) it(name, () => run({ open, reopen, shared: true, outage, pause }));
});
