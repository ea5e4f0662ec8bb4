import { expect } from "chai";
import { codeOf } from "../../support/code-of.js";
import { describeBehindProxy } from "./behind-proxy.js";

const PET = { name: "Rex", categoryId: 2n ** 53n + 1n, status: "available" } as const;
const WEAK =
  "&w=0&journal=false&wtimeoutMS=1&readConcernLevel=local&readPreference=secondary&readPreferenceTags=dc:x" +
  "&useBigInt64=true&promoteLongs=true&promoteValues=false&raw=true";

describeBehindProxy("The URL of a MongoDB storage", ({ proxy, open }) => {
  it("cannot weaken writes, reads and types", async () => {
    const { pets, archive } = await open(WEAK);
    const { pet } = await pets.create(PET, { key: "key", fingerprint: "fingerprint" });
    expect(await pets.get(pet.id)).to.deep.equal({ id: pet.id, ...PET });
    await archive.raiseIds(pet.id + 5000n);
    const { commands } = proxy();
    const sent = (name: string) => commands.filter((command) => name in command);
    const writes = ["insert", "update", "findAndModify"].flatMap(sent);
    expect(writes.length).to.be.at.least(4);
    for (const { writeConcern } of writes)
      expect(writeConcern).to.deep.equal({ w: "majority", j: true, wtimeout: 2000 });
    for (const { readConcern } of sent("find")) expect(readConcern).to.deep.equal({ level: "majority" });
    for (const { $readPreference } of commands)
      expect($readPreference?.mode ?? "primary").to.be.oneOf(["primary", "primaryPreferred"]);
  });

  it("says the size of the pool, how long to wait for it, and the program's name", async () => {
    const { pets } = await open("&maxPoolSize=1&waitQueueTimeoutMS=50&appName=pets");
    await pets.get(1n);
    const names = proxy().commands.flatMap(({ client }) => client?.application.name ?? []);
    expect(new Set(names)).to.deep.equal(new Set(["pets"]));
    proxy().trouble = { delay: 300 };
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(pets.get(1n))));
    expect(codes.sort()).to.deep.equal([...Array(4).fill("storage_unavailable"), undefined]);
  });
});
