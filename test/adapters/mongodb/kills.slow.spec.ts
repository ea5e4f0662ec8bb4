import { expect } from "chai";
import { inEmptyFolder } from "../../support/in-empty-folder.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase } from "../../support/mongodb-server.js";
import { openMongodb } from "../../support/open-storages.js";
import { API_KEY } from "../../support/start-app.js";
import { type Program, startProgram } from "../../support/start-program.js";

/** When the service is killed: as a command of a create with a key passes, before or after the server runs it. */
const MOMENTS: Readonly<Record<string, readonly [command: string, isRun: boolean]>> = {
  "before it claims the key": ["insert pets_keys", false],
  "as it claims the key": ["insert pets_keys", true],
  "between claim and pet": ["insert pets", false],
  "as it stores the pet": ["insert pets", true],
};

describeWithMongodb("The service, killed on MongoDB", (url) => {
  const cwd = inEmptyFolder();
  let proxy: MongodbProxy;

  before(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
  });
  after(() => proxy.stop());

  const start = () => startProgram({ cwd: cwd(), env: { PETSTORE_STORAGE: proxy.urlOf(url) } });

  async function create({ origin }: Program, key: string): Promise<string> {
    const type = { "Content-Type": "application/json" };
    const headers = { ...type, Authorization: `Bearer ${API_KEY}`, "Idempotency-Key": key };
    const body = JSON.stringify({ name: key, categoryId: 7 });
    return (await fetch(`${origin}/v1/pets`, { method: "POST", headers, body })).text();
  }

  for (const [when, [command, isRun]] of Object.entries(MOMENTS)) {
    it(`${when}, stores a single pet, which a retry gets`, async () => {
      const key = when.replaceAll(" ", "-");
      const program = await start();
      await create(program, "first");
      proxy.trouble = {
        answer(passing) {
          if (Object.entries(passing)[0]?.join(" ") !== command) return undefined;
          program.child.kill("SIGKILL");
          return isRun ? undefined : { ok: 0 };
        },
      };
      expect(await create(program, key).catch(() => "no answer")).to.equal("no answer");
      proxy.trouble = {};
      const again = await start();
      const pet = await create(again, key);
      expect(await create(again, key)).to.equal(pet);
      const { pets, close } = await openMongodb(url);
      const all = await pets.list({ status: undefined, after: 0n, limit: 99 });
      await close();
      expect(all.filter(({ name }) => name === key)).to.have.length(1);
      await again.stop();
    });
  }
});
