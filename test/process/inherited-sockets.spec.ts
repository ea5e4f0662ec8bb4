import { expect } from "chai";
import { inheritedSockets } from "../../src/process/inherited-sockets.js";

describe("inheritedSockets", () => {
  const none = { api: undefined, admin: undefined };

  for (const [what, environment, sockets] of [
    ["nothing if nobody hands over a socket", {}, none],
    ["nothing if the sockets are for another process", { LISTEN_PID: "8", LISTEN_FDS: "1" }, none],
    [
      "the API's socket first if no socket has a name",
      { LISTEN_PID: "7", LISTEN_FDS: "1" },
      { api: 3, admin: undefined },
    ],
    [
      "the admin port's socket by its name",
      { LISTEN_PID: "7", LISTEN_FDS: "2", LISTEN_FDNAMES: "petstore.socket:admin" },
      { api: 3, admin: 4 },
    ],
    [
      "the API's socket behind the admin port's",
      { LISTEN_PID: "7", LISTEN_FDS: "2", LISTEN_FDNAMES: "admin:api" },
      { api: 4, admin: 3 },
    ],
    [
      "the admin port's socket alone",
      { LISTEN_PID: "7", LISTEN_FDS: "1", LISTEN_FDNAMES: "admin" },
      { api: undefined, admin: 3 },
    ],
    ["nothing if LISTEN_FDS is 0", { LISTEN_PID: "7", LISTEN_FDS: "0" }, none],
  ] as const) {
    it(`finds ${what}`, () => {
      expect(inheritedSockets(environment, 7)).to.deep.equal(sockets);
    });
  }
});
