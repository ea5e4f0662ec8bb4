import { expect } from "chai";
import { dayUnderFaults } from "../../endurance/day-under-faults.js";
import type { Rule } from "../../endurance/history/findings.js";
import { DEFAULTS, type RunOptions } from "../../endurance/options.js";
import type { Parts } from "../../endurance/parts.js";
import { run, type Work } from "../../endurance/run.js";
import { makeFolder, removeFolder } from "../support/temporary-folder.js";
import {
  ACKNOWLEDGES_BEFORE_COMMIT,
  DROPS_ONE_ID_IN_A_THOUSAND,
  LEAKS_A_DESCRIPTOR_PER_RESET,
  plantStorage,
  SOUND,
} from "./planted-storages.js";

/** The longest time for load and faults, in milliseconds; a bug ends them earlier. */
const DURATION = 40_000;

/** The load and its faults end with the first finding. */
const untilFound: Work = async (parts, options, stopping) => {
  const found = new AbortController();
  const timer = setInterval(() => parts.findings.total > 0 && found.abort(), 50);
  await dayUnderFaults(parts, options, AbortSignal.any([stopping, found.signal]));
  clearInterval(timer);
};

describe("npm run endurance on a planted storage", function () {
  this.timeout(150_000);
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => removeFolder(folder));

  function runOn(source: string, options: Partial<RunOptions>): Promise<Parts> {
    return run(
      untilFound,
      {
        ...DEFAULTS,
        duration: DURATION,
        seed: 1,
        pause: 1,
        rate: 80,
        warmUp: 1000,
        quiet: true,
        storage: "planted:pets",
        ...options,
        env: { PETSTORE_STORAGE_ADAPTERS: plantStorage(folder, source) },
      },
      folder,
      new AbortController().signal,
    );
  }

  function rulesOf({ findings }: Parts): Rule[] {
    return findings.first.map(({ rule }) => rule);
  }

  it("finds that a create is acknowledged before it is stored", async () => {
    const parts = await runOn(ACKNOWLEDGES_BEFORE_COMMIT, { only: ["kill -9"] });
    expect(rulesOf(parts)[0]).to.be.oneOf(["stale", "twice", "key"]);
    // The report leads to the request.
    const [{ what, around, shownBy } = { what: "", around: [], shownBy: [] }] = parts.findings.first;
    expect(`${what} ${around}`).to.include("kill -9 of the service");
    expect(shownBy.join()).to.match(/^at [\d.]+ s: (GET|POST) \/v1\/pets/);
  });

  it("finds that lists drop one id in a thousand", async () => {
    const parts = await runOn(DROPS_ONE_ID_IN_A_THOUSAND, { only: ["nothing"] });
    expect(new Set(rulesOf(parts))).to.deep.equal(new Set(["stale"]));
    expect(parts.findings.first[0]?.what).to.match(/does not show \{"id":(50|1050),/);
  });

  it("finds that each reset leaks a descriptor", async () => {
    // Hostile clients reset connections all the time.
    const parts = await runOn(LEAKS_A_DESCRIPTOR_PER_RESET, { only: ["nothing"] });
    expect(new Set(rulesOf(parts))).to.deep.equal(new Set(["descriptors"]));
  });

  it("finds nothing if the storage has no bug", async () => {
    const only = ["kill -9", "SIGTERM", "reset", "breaks", "key"];
    const parts = await runOn(SOUND, { duration: 12_000, only });
    expect(parts.findings.first).to.deep.equal([]);
    expect(parts.history.turn).to.be.greaterThan(50);
    expect(parts.troubles.all.length).to.be.greaterThan(3);
  });
});
