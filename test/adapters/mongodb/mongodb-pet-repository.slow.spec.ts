import { describeContract } from "../../../src/storage-kit/storage-contract.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { openMongodb } from "../../support/open-storages.js";

describeWithMongodb("MongodbPetRepository", (url) => {
  const reopen = () => openMongodb(url);
  describeContract({
    async open() {
      await dropDatabase(url);
      return reopen();
    },
    reopen,
    shared: true,
    archive: true,
    deletePet: (id) =>
      withDatabase(url, async (database) => {
        await database.collection<{ _id: bigint }>("pets").deleteOne({ _id: id });
      }),
  });
});
