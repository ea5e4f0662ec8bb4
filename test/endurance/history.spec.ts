import { expect } from "chai";
import { Clock } from "../../endurance/clock.js";
import type { Exchange } from "../../endurance/history/exchange.js";
import { Findings, type Rule } from "../../endurance/history/findings.js";
import { History } from "../../endurance/history/history.js";
import { PlannedPets } from "../../endurance/history/planned-pets.js";

describe("The history of npm run endurance", () => {
  let clock: Clock;
  let findings: Findings;
  let history: History;

  beforeEach(() => {
    clock = new Clock();
    findings = new Findings(
      clock,
      () => {},
      () => [],
    );
    history = new History(new PlannedPets(1, "tag"), findings);
  });
  afterEach(() => clock.stop());

  const exchange: Exchange = {
    method: "GET",
    path: "/v1/pets",
    headers: {},
    body: undefined,
    begun: 0,
    took: 1,
    lost: 0,
    answer: undefined,
    failure: undefined,
  };

  function create(id: number) {
    const pet = history.plan();
    history.acknowledge(pet, pet.textWith(`${id}`), exchange);
    return pet;
  }

  function expectFound(...rules: Rule[]): void {
    expect(findings.first.map(({ rule }) => rule)).to.deep.equal(rules);
  }

  it("finds nothing if repeated creates and reads show each pet as its first answer did", () => {
    for (const id of [1, 2, 5, 3]) {
      const pet = create(id);
      history.acknowledge(pet, pet.textWith(`${id}`), exchange);
      history.seen(pet.textWith(`${id}`), exchange);
    }
    expect(history.due(undefined, 1, 5, history.turn, 9)).to.deep.equal([2, 3, 5]);
    expectFound();
  });

  it("expects of a read only the pets that were acknowledged before the read began", () => {
    create(1);
    const before = history.turn;
    create(2);
    expect(history.due(undefined, 0, 9, before, 9)).to.deep.equal([1]);
  });

  it("finds that an acknowledged pet is missing, or that its bytes differ", () => {
    const pet = create(7);
    history.missing(7, exchange);
    history.seen(pet.textWith("7").replace('"categoryId":', '"categoryId":1'), exchange);
    expectFound("stale", "exact");
    expect(findings.first[0]?.what).to.include('{"id":7,');
  });

  it("finds that a read shows a pet, and a later read does not", () => {
    const pet = history.plan();
    history.seen(pet.textWith("3"), exchange);
    expect(history.due(undefined, 0, 9, history.turn, 9)).to.deep.equal([3]);
    history.missing(3, exchange);
    expectFound("shown");
  });

  it("finds a create that happened twice, and an id that was given twice", () => {
    const pet = create(1);
    history.seen(pet.textWith("2"), exchange);
    create(1);
    expectFound(pet.key ? "key" : "twice", "twice");
  });

  it("finds that a pet is stored whose create was refused, or never sent", () => {
    const pet = history.plan();
    history.refuse(pet);
    history.seen(pet.textWith("1"), exchange);
    history.seen(history.pets.at(99).textWith("2"), exchange);
    expectFound("refused", "refused");
  });

  it("leaves pets of others alone", () => {
    history.seen('{"id":1,"name":"Rex","categoryId":1,"status":"sold"}', exchange);
    expectFound();
  });
});
