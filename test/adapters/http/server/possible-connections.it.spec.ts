import { execFileSync } from "node:child_process";
import { expect } from "chai";

const MODULE = new URL("../../../../src/adapters/http/server/possible-connections.js", import.meta.url).href;

describe("possibleConnections", () => {
  /** What the function gives and logs in a process that may open so many files. */
  function possible(wanted: number, files: number): unknown[] {
    const code = `const { possibleConnections } = await import("${MODULE}");
      const logged = [];
      const found = possibleConnections(${wanted}, { warn: (...line) => logged.push(...line) });
      console.log(JSON.stringify([found, ...logged]));`;
    const shell = `ulimit -n ${files}; exec "$0" --input-type=module --eval "$1"`;
    return JSON.parse(execFileSync("sh", ["-c", shell, process.execPath, code], { encoding: "utf8" }));
  }

  it("are those that are wanted, if there are files for them and 150 more", () => {
    expect(possible(106, 256)).to.deep.equal([106]);
  });

  it("are fewer otherwise, which the log says", () => {
    const [connections, fields, message] = possible(10_000, 256);
    expect([connections, fields]).to.deep.equal([106, { connections: 106 }]);
    expect(message).to.match(
      /^fewer connections than PETSTORE_MAX_CONNECTIONS: .* LimitNOFILE= of the unit\)$/,
    );
    expect(possible(10_000, 64)[0]).to.equal(1);
  });
});
