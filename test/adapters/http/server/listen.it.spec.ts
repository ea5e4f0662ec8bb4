import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { expect } from "chai";
import { listen } from "../../../../src/adapters/http/server/listen.js";

const SETTINGS = ["PETSTORE_HOST", "PETSTORE_PORT"] as const;

describe("listen", () => {
  async function failureAt(address: { host?: string; fd?: number }): Promise<string> {
    const listening = listen(createServer(), { host: "127.0.0.1", port: 0, settings: SETTINGS, ...address });
    return String(await listening.catch((error) => error.message));
  }

  it("names the socket unit if the descriptor that it gets is no socket", async () => {
    const fd = openSync(import.meta.filename, "r");
    const told = `^Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: .*; correct the .socket unit`;
    expect(await failureAt({ fd })).to.match(new RegExp(told));
    closeSync(fd);
  });

  it("names the setting if the folder of a Unix socket is missing", async () => {
    const told = /^Cannot listen on unix:\/missing\/api\.sock: .*; set PETSTORE_HOST to a path in a folder/;
    expect(await failureAt({ host: "unix:/missing/api.sock" })).to.match(told);
  });
});
