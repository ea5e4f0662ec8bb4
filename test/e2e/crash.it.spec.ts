import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { eventually } from "../support/eventually.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { E2E_KEY, petsClient } from "../support/pets-client.js";
import { startProgram } from "../support/start-program.js";

const env = { PETSTORE_API_KEY: E2E_KEY };

/** A body that no other equals, with an int64 beyond doubles and letters of several bytes. */
function body(round: number, worker: number, n: number): string {
  const categoryId = 9223372036854775807n - BigInt(round * 1_000_000 + worker * 100_000 + n);
  return `{"name":"Żółw ${round}.${worker}.${n} 🐢","categoryId":${categoryId},"status":"sold"}`;
}

/** Creates one pet after the other until the connection fails. Resolves to the acknowledged pets. */
async function createUntilItFails(origin: string, round: number, worker: number): Promise<string[]> {
  const { create } = petsClient(origin);
  const acknowledged: string[] = [];
  for (let n = 0; n < 5000; n++) {
    const sent = body(round, worker, n);
    const answer = await create(sent).catch(() => undefined);
    if (!answer) return acknowledged;
    expect(answer.status).to.equal(201);
    expect(answer.text.replace(/"id":\d+,/, "")).to.equal(sent);
    acknowledged.push(answer.text);
  }
  throw new Error("The program was to be killed in the middle.");
}

function idOf(pet: string): string | undefined {
  return /"id":(\d+),/.exec(pet)?.[1];
}

function expectAll(acknowledged: readonly string[], stored: readonly string[]): void {
  const found = new Set(stored);
  expect(
    acknowledged.filter((pet) => !found.has(pet)),
    "lost or changed",
  ).to.deep.equal([]);
  expect(new Set(stored.map(idOf)).size, "unique ids").to.equal(stored.length);
}

describe("The program, on a SQLite file", function () {
  this.timeout(60_000);

  const cwd = inEmptyFolder();

  it("has every pet that it acknowledged, exactly, each time it was killed in the middle of creates", async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const program = await startProgram({ cwd: cwd(), env });
      const stored = await petsClient(program.origin).all();
      expectAll(acknowledged, stored);
      const workers = Array.from({ length: 8 }, (_, worker) =>
        createUntilItFails(program.origin, round, worker),
      );
      await sleep(200 + 70 * round);
      // A busy machine takes longer to the first one.
      await eventually(
        async () => (await petsClient(program.origin).all()).length > stored.length || undefined,
      );
      expect(await program.stop("SIGKILL")).to.include({ signal: "SIGKILL" });
      const created = (await Promise.all(workers)).flat();
      expect(created, "killed in the middle").not.to.be.empty;
      acknowledged.push(...created);
    }
    const { origin } = await startProgram({ cwd: cwd(), env });
    const stored = await petsClient(origin).all();
    expectAll(acknowledged, stored);
    // Pets without an acknowledgement may be there: at most one for each worker and round.
    expect(stored.length - acknowledged.length).to.be.within(0, 3 * 8);
  });
});
