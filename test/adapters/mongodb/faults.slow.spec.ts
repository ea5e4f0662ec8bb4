import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { eventually } from "../../support/eventually.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb } from "../../support/mongodb-server.js";
import { openMongodb } from "../../support/open-storages.js";
import {
  ANSWERED_WITHIN,
  BACK,
  CREATE,
  expectUnavailable,
  ServiceOnMongodb,
  WENT,
} from "../../support/service-on-mongodb.js";

describeWithMongodb("The service on a faulty MongoDB", (url) => {
  let proxy: MongodbProxy;
  let service: ServiceOnMongodb;

  const start = (through = proxy.urlOf(url)) => service.start(through);

  beforeEach(async () => {
    proxy = await MongodbProxy.start(url);
    service = new ServiceOnMongodb();
  });

  afterEach(async () => {
    await service.close();
    await proxy.stop();
  });

  for (const [what, trouble] of Object.entries({ silent: { silent: true }, resetting: { reset: true } })) {
    it(`starts while the database is ${what}, answers 503 each time that it is, and heals`, async () => {
      proxy.trouble = trouble;
      await start();
      for (let outage = 0; outage < 2; outage++) {
        proxy.trouble = trouble;
        await service.expectAway();
        proxy.trouble = {};
        await service.expectHealed();
        expect(service.messages()).to.include.members([WENT, BACK]);
        service.captured.lines.length = 0;
      }
    });
  }

  it("works on while the database is slow by 500 ms", async () => {
    await start();
    proxy.trouble = { delay: 500 };
    for (let round = 0; round < 2; round++) {
      for (const { status, milliseconds } of await service.askAll()) {
        expect(status).to.be.oneOf([200, 201, 404]);
        expect(milliseconds).to.be.within(500, ANSWERED_WITHIN);
      }
    }
    expect(service.messages()).to.deep.equal([]);
  });

  it("ends a create in time if its commands are too slow together, though none of them alone", async () => {
    await start();
    const pet = { name: "Rex", categoryId: 1n, status: "available" } as const;
    const record = { key: "slow", fingerprint: "fingerprint" };
    const direct = await openMongodb(url, { log: service.captured.log });
    await direct.pets.create(pet, record);
    await direct.close();
    // The create reserves ids, inserts, and looks the earlier pet up, each of which takes 2 seconds.
    proxy.trouble = { delay: 1000 };
    const begun = Date.now();
    const refused = await service.repository.create(pet, record).catch(({ code }) => code);
    expect(refused).to.equal("storage_unavailable");
    expect(Date.now() - begun).to.be.below(ANSWERED_WITHIN);
    proxy.trouble = {};
    await service.expectHealed();
  });

  it("answers every create with a key in time, and serves what it can, if there are more than connections", async () => {
    await start(`${proxy.urlOf(url)}&maxPoolSize=2`);
    proxy.trouble = { delay: 100 };
    const create = (n: number) =>
      service.repository.create(
        { name: "Rex", categoryId: 1n, status: "available" },
        { key: `key ${n}`, fingerprint: "fingerprint" },
      );
    const begun = Date.now();
    const codes = await Promise.all(Array.from({ length: 40 }, (_, n) => codeOf(create(n))));
    expect(Date.now() - begun).to.be.below(ANSWERED_WITHIN);
    // Two at once, each by two commands of 200 ms, can be twenty in four seconds.
    expect(codes.filter((code) => code === undefined)).to.have.length.within(4, 24);
    expect(codes).to.include("storage_unavailable");
    expect(service.messages()).to.not.include(WENT);
  });

  const UNAUTHORIZED = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "not authorized on petstore" };

  it("answers 503 while the password is wrong, and never shows the password", async () => {
    const refused = { ok: 0, code: 18, codeName: "AuthenticationFailed", errmsg: "Authentication failed." };
    proxy.trouble = { answers: { saslStart: refused, saslContinue: refused } };
    const options = "authMechanism=SCRAM-SHA-256&authSource=admin";
    await start(`${proxy.urlOf(url).replace("//", "//somebody:wrong-password@")}&${options}`);
    await service.expectAway();
    expect(service.messages()).to.deep.equal([WENT]);
    expect(service.captured.lines.find(({ msg }) => msg === WENT)?.err).to.include({ code: 18 });
    expect(service.captured.text()).to.not.include("wrong-password");
  });

  it("says that TLS fails if the URL has it and the server has not", async () => {
    await start(`${url}?tls=true`);
    expectUnavailable(await service.ask());
    const { err } = await eventually(() => service.captured.lines.find(({ msg }) => msg === WENT));
    expect(JSON.stringify(err)).to.match(/TLS|secureConnect/);
  });

  it("goes on reading while the user may only read, and says once that creates fail", async () => {
    await start();
    proxy.trouble = { answers: { insert: UNAUTHORIZED, findAndModify: UNAUTHORIZED } };
    for (let round = 0; round < 3; round++) {
      expectUnavailable(await service.ask("/v1/pets", CREATE));
      expect(await service.ask()).to.include({ status: 200 });
    }
    proxy.trouble = {};
    await service.expectHealed();
    expect(service.messages()).to.deep.equal(["operations fail, though the storage answers"]);
  });
});
