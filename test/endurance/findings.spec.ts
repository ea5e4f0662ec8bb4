import { expect } from "chai";
import type { Clock } from "../../endurance/clock.js";
import { Troubles } from "../../endurance/faults/troubles.js";
import { Findings } from "../../endurance/history/findings.js";

describe("A finding of npm run endurance", () => {
  it("names the faults that last or have just ended, with times and details, and in the report older ones too", () => {
    let now = 0;
    const clock = { now: () => now } as Clock;
    const troubles = new Troubles(clock);
    const lines: string[] = [];
    const findings = new Findings(
      clock,
      (line) => lines.push(line),
      (milliseconds) => troubles.lately(milliseconds),
    );
    const play = (name: string, until: number, detail: string) => {
      const trouble = troubles.begin(name, { heals: 0 });
      now = until;
      troubles.end(trouble, detail);
    };
    play("a full disk", 3000, "for 3.0 s");
    play("kill -9 of a worker", 6000, "process 7");
    troubles.begin("SIGHUP", { heals: 0 });
    now = 10_000;
    findings.add("answered", "GET /v1/pets: ECONNRESET");
    const around = ["kill -9 of a worker (3.0 s to 6.0 s, process 7)", "SIGHUP (6.0 s to now)"];
    expect(lines.join()).to.match(/^BROKEN at 10\.0 s: .*: GET \/v1\/pets: ECONNRESET \[/);
    expect(lines.join()).to.include(`[${around.join("; ")}]`);
    expect(findings.first[0]?.around).to.deep.equal(["a full disk (0.0 s to 3.0 s, for 3.0 s)", ...around]);
  });
});
