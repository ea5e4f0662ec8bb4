import { expect } from "chai";
import { Findings, type Rule } from "../../endurance/findings.js";
import { History, type PlannedPet } from "../../endurance/history.js";
import { Random } from "../../endurance/random.js";

describe("The history of an endurance run", () => {
  let findings: Findings;
  let history: History;
  beforeEach(() => {
    const [where, tell] = [() => "", () => {}];
    findings = new Findings(where, tell);
    history = new History(findings, new Random(1), "tag");
  });

  const textOf = (id: number, { body }: PlannedPet) => `{"id":${id},${body.slice(1)}`;
  const broken = (): Rule[] => [...findings.counts.keys()];

  it("accepts pets that stay as they were sent", () => {
    for (let id = 1; id <= 3; id++) {
      const text = textOf(id, history.plan());
      history.seen(text, "create");
      history.seen(text, "get");
    }
    history.seen('{"id":9,"name":"of others","categoryId":1,"status":"sold"}', "list");
    expect(broken()).to.be.empty;
    expect(history.due(undefined, 1, 10)).to.deep.equal([2, 3]);
  });

  it("finds a pet that is changed by one digit", () => {
    const text = textOf(1, history.plan());
    const another = (digit: string) => String((Number(digit) + 1) % 10);
    history.seen(text.replace(/\d(?=,"status")/, another), "get");
    expect(broken()).to.deep.equal(["changed"]);
  });

  it("finds a second pet for one create", () => {
    const pet = history.plan();
    history.seen(textOf(1, pet), "create");
    history.seen(textOf(2, pet), "repeated create");
    expect(broken()).to.deep.equal(["doubled"]);
  });

  it("finds one id for two pets", () => {
    history.seen(textOf(1, history.plan()), "create");
    history.seen(textOf(1, history.plan()), "create");
    expect(broken()).to.deep.equal(["doubled"]);
  });

  it("finds a pet that nobody created", () => {
    history.seen('{"id":1,"name":"tag-7","categoryId":1,"status":"sold"}', "list");
    expect(broken()).to.deep.equal(["changed"]);
  });

  it("knows which pets a page must have, in whatever order they were acknowledged", () => {
    const pets = Array.from({ length: 30 }, () => history.plan());
    for (const id of [30, 10, 20, 5, 25]) history.seen(textOf(id, pets[id - 1] as PlannedPet), "create");
    expect(history.due(undefined, 5, 3)).to.deep.equal([10, 20, 25]);
    const { status } = pets[19] as PlannedPet;
    expect(history.due(status, 10, 10)).to.include(20);
  });
});
