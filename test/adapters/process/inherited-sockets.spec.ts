import { expect } from "chai";
import { inheritedSockets } from "../../../src/adapters/process/inherited-sockets.js";

describe("inheritedSockets", () => {
  const none = { api: undefined, admin: undefined };
  const handed = (count: number, names?: string) => ({
    LISTEN_PID: "7",
    LISTEN_FDS: String(count),
    LISTEN_FDNAMES: names,
  });

  for (const [what, environment, sockets] of [
    ["nothing if nobody hands over a socket", {}, none],
    ["nothing if the sockets are for another process", { LISTEN_PID: "8", LISTEN_FDS: "1" }, none],
    ["the API's socket first if no socket has a name", handed(1), { api: 3, admin: undefined }],
    ["the admin port's socket by its name", handed(2, "petstore.socket:admin"), { api: 3, admin: 4 }],
    ["the API's socket behind the admin port's", handed(2, "admin:api"), { api: 4, admin: 3 }],
    ["the admin port's socket alone", handed(1, "admin"), { api: undefined, admin: 3 }],
    ["the first of as many as nobody can hand over", handed(1e9), { api: 3, admin: undefined }],
    ["nothing if LISTEN_FDS is 0", handed(0), none],
  ] as const) {
    it(`finds ${what}`, () => {
      expect(inheritedSockets(environment, 7)).to.deep.equal(sockets);
    });
  }
});
