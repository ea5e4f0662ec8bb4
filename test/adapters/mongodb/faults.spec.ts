import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import { captureLog } from "../../support/captured-log.js";
import { eventually } from "../../support/eventually.js";
import { leaveOut } from "../../support/left-out.js";
import { MongodbProxy, type Trouble } from "../../support/mongodb-proxy.js";
import { describeWithMongodb } from "../../support/mongodb-server.js";
import { API_KEY, type StartedApp, startApp } from "../../support/start-app.js";

/** The longest that a client may wait for a 503, and that the service may take to come back, in milliseconds. */
const ANSWERED_WITHIN = 5000;
const HEALED_WITHIN = 10_000;

const run = promisify(execFile);

const BODY = JSON.stringify({ name: "Rex", categoryId: 7 });
const CREATE = { method: "POST", body: BODY };

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  readonly milliseconds: number;
}

describeWithMongodb("The service on a faulty MongoDB", (url) => {
  const captured = captureLog();
  let proxy: MongodbProxy;
  let app: StartedApp;

  async function start(through = proxy.urlOf(url)): Promise<void> {
    const repository = await MongodbPetRepository.open(through, captured.log);
    app = await startApp({ repository, log: captured.log });
  }

  beforeEach(async () => {
    captured.lines.length = 0;
    proxy = await MongodbProxy.start(url);
  });

  afterEach(async function () {
    this.timeout(20_000);
    await app.close();
    await proxy.stop();
  });

  async function ask(path = "/v1/pets", init: RequestInit = {}, key = API_KEY): Promise<Answer> {
    const begun = Date.now();
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const response = await fetch(app.origin + path, { headers, ...init });
    const body = (await response.json()) as { code?: string };
    return {
      status: response.status,
      code: body.code,
      retryAfter: response.headers.get("Retry-After"),
      milliseconds: Date.now() - begun,
    };
  }

  const askAll = () =>
    Promise.all([ask(), ask("/v1/pets/1"), ask("/v1/pets", CREATE), ask("/v1/pets?status=sold")]);

  function expectUnavailable(answer: Answer): void {
    expect(answer).to.include({ status: 503, code: "storage_unavailable" });
    expect(answer.retryAfter).to.match(/^\d+$/);
    expect(answer.milliseconds).to.be.below(ANSWERED_WITHIN);
  }

  /** Asserts 503 for everything that needs the database, and the usual answers for the rest. */
  async function expectAway(): Promise<void> {
    for (const answer of await askAll()) expectUnavailable(answer);
    // Once the service knows that the database is away, no request waits any more.
    await eventually(() => messages().includes(WENT) || undefined);
    for (let round = 0; round < 3; round++) {
      for (const answer of await askAll()) {
        expectUnavailable(answer);
        expect(answer.milliseconds).to.be.below(1000);
      }
    }
    expect(await ask("/v1/pets", {}, "petstore_other-key")).to.include({ status: 401 });
    expect(await ask("/v1/pets?limit=0")).to.include({ status: 400 });
    expect(await ask("/v1/pets", { method: "POST", body: "{}" })).to.include({ status: 400 });
  }

  /** Asserts that creates work again within the time, and so does everything else. */
  async function expectHealed(): Promise<number> {
    const begun = Date.now();
    await eventually(async () => (await ask("/v1/pets", CREATE)).status === 201 || undefined, HEALED_WITHIN);
    const healed = Date.now() - begun;
    expect(await ask()).to.include({ status: 200 });
    expect(healed).to.be.below(HEALED_WITHIN);
    return healed;
  }

  const messages = () => captured.lines.filter(({ level }) => level >= 30).map(({ msg }) => msg);

  const WENT = "the storage cannot be used; asking until it answers";
  const BACK = "the storage answers again";

  it("starts without the database, and heals once it is there", async function () {
    this.timeout(30_000);
    await proxy.kill();
    await start();
    await expectAway();
    expect(await app.repository.ping().catch((error) => error.code)).to.equal("storage_unavailable");
    await proxy.revive();
    await expectHealed();
    await app.repository.ping();
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  /** Creates pets until three creates have failed, while the database is taken away; answers the acknowledged ids. */
  async function createWhile(takeAway: () => Promise<unknown>): Promise<bigint[]> {
    const acknowledged: bigint[] = [];
    const creating = (async () => {
      for (let failed = 0; failed < 3; ) {
        const creation = await app.repository
          .create({ name: "Rex", categoryId: 1n, status: "available" })
          .catch(() => undefined);
        if (creation) acknowledged.push(creation.pet.id);
        else failed++;
      }
    })();
    await sleep(200);
    await takeAway();
    await creating;
    expect(acknowledged.length).to.be.greaterThan(3);
    return acknowledged;
  }

  it("heals once the database accepts connections again, and has every pet that it acknowledged", async function () {
    this.timeout(30_000);
    await start();
    const acknowledged = await createWhile(() => proxy.kill());
    await expectAway();
    await proxy.revive();
    await expectHealed();
    for (const id of acknowledged) expect(await app.repository.get(id)).to.include({ id });
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  const scripts = process.env.PETSTORE_TEST_MONGODB_SCRIPTS;
  if (scripts || process.env.CI) {
    it("heals once the database was killed and started again, and has every pet that it acknowledged", async function () {
      this.timeout(180_000);
      if (!scripts)
        throw new Error("set PETSTORE_TEST_MONGODB_SCRIPTS to the folder of the server's up and down");
      await start(url);
      const acknowledged = await createWhile(() => run(join(scripts, "down"), ["--kill"]));
      await expectAway();
      await run(join(scripts, "up"));
      await expectHealed();
      for (const id of acknowledged) expect(await app.repository.get(id)).to.include({ id });
      expect(messages()).to.deep.equal([WENT, BACK]);
    });
  } else leaveOut("MongoDB killed and started again", "set PETSTORE_TEST_MONGODB_SCRIPTS");

  const TROUBLES: Record<string, Trouble> = {
    "accepts and never answers": { silent: true },
    "resets every connection": { reset: true },
  };
  for (const [what, trouble] of Object.entries(TROUBLES)) {
    it(`answers 503 while the database ${what}, and heals`, async function () {
      this.timeout(60_000);
      await start();
      expect(await ask("/v1/pets", CREATE)).to.include({ status: 201 });
      proxy.trouble = trouble;
      await expectAway();
      proxy.trouble = {};
      await expectHealed();
      expect(messages()).to.deep.equal([WENT, BACK]);
    });

    it(`starts while the database ${what}, and heals`, async function () {
      this.timeout(60_000);
      proxy.trouble = trouble;
      await start();
      await expectAway();
      proxy.trouble = {};
      await expectHealed();
      expect(messages()).to.deep.equal([WENT, BACK]);
    });
  }

  it("works on while the database is slow by 500 ms", async function () {
    this.timeout(60_000);
    await start();
    proxy.trouble = { delay: 500 };
    for (let round = 0; round < 2; round++) {
      for (const { status, milliseconds } of await askAll()) {
        expect(status).to.be.oneOf([200, 201, 404]);
        expect(milliseconds).to.be.within(500, ANSWERED_WITHIN);
      }
    }
    expect(messages()).to.deep.equal([]);
  });

  it("ends a create in time if its commands are too slow together, though none of them alone", async function () {
    this.timeout(60_000);
    await start();
    const pet = { name: "Rex", categoryId: 1n, status: "available" } as const;
    const record = { key: "slow", fingerprint: "fingerprint" };
    const direct = await MongodbPetRepository.open(url, captured.log);
    await direct.create(pet, record);
    await direct.close();
    // The create reserves ids, inserts, and looks the earlier pet up, each of which takes 2 seconds.
    proxy.trouble = { delay: 1000 };
    const begun = Date.now();
    const refused = await app.repository.create(pet, record).catch(({ code }) => code);
    expect(refused).to.equal("storage_unavailable");
    expect(Date.now() - begun).to.be.below(ANSWERED_WITHIN);
    proxy.trouble = {};
    await expectHealed();
  });

  it("answers every request in time if there is more work than connections", async function () {
    this.timeout(60_000);
    await start(`${proxy.urlOf(url)}&maxPoolSize=2`);
    proxy.trouble = { delay: 500 };
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask()));
    for (const answer of answers) if (answer.status !== 200) expectUnavailable(answer);
    expect(answers.filter(({ status }) => status === 200)).to.not.be.empty;
    expect(answers.filter(({ status }) => status === 503)).to.not.be.empty;
    proxy.trouble = {};
    await expectHealed();
    await eventually(() => messages()[0]);
    expect(messages()).to.deep.equal(["reads fail, though the storage answers"]);
  });

  const UNAUTHORIZED = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "not authorized on petstore" };

  it("answers 503 while the password is wrong, and never shows the password", async function () {
    this.timeout(30_000);
    const refused = { ok: 0, code: 18, codeName: "AuthenticationFailed", errmsg: "Authentication failed." };
    proxy.trouble = { answers: { saslStart: refused, saslContinue: refused } };
    const options = "authMechanism=SCRAM-SHA-256&authSource=admin";
    await start(`${proxy.urlOf(url).replace("//", "//somebody:wrong-password@")}&${options}`);
    await expectAway();
    expect(messages()).to.deep.equal([WENT]);
    expect(captured.lines.find(({ msg }) => msg === WENT)?.err).to.include({ code: 18 });
    expect(captured.text()).to.not.include("wrong-password");
  });

  it("answers 503 while the user is not authorised, and works once the user is", async function () {
    this.timeout(30_000);
    proxy.trouble = { answers: { find: UNAUTHORIZED, insert: UNAUTHORIZED, findAndModify: UNAUTHORIZED } };
    await start();
    await expectAway();
    proxy.trouble = {};
    await expectHealed();
    expect(messages()).to.deep.equal([WENT, BACK]);
  });

  it("goes on reading while the user may only read, and says once that creates fail", async function () {
    this.timeout(30_000);
    await start();
    proxy.trouble = { answers: { insert: UNAUTHORIZED, findAndModify: UNAUTHORIZED } };
    for (let round = 0; round < 3; round++) {
      expectUnavailable(await ask("/v1/pets", CREATE));
      expect(await ask()).to.include({ status: 200 });
    }
    proxy.trouble = {};
    await expectHealed();
    // The log says so only after creates have worked for a while.
    await sleep(5100);
    expect(await ask("/v1/pets", CREATE)).to.include({ status: 201 });
    expect(messages()).to.deep.equal(["creates fail, though the storage answers", "creates work again"]);
  });
});
