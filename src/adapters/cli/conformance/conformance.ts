import { maskUrl } from "../../../application/ports/mask-url.js";
import type { StorageAdapter } from "../../../application/ports/storage-adapter.js";
import { type ContractCase, STORAGE_CONTRACT, whyNotAsked } from "../../../contracts/storage-contract.js";
import { CaseProcess, ProcessEnded } from "./case-process.js";
import type { Answer, Offered, Order, Wish } from "./process-messages.js";
import { runShell } from "./shell.js";

export interface Choices {
  /** With `{n}` for the name of each storage. */
  readonly url: string;
  /** How long a case may take, in seconds; a case with an outage may take three times as long. */
  readonly timeout: number;
  readonly down?: string;
  readonly up?: string;
  readonly delete?: string;
  /** If set, only cases with these words in their name are run. */
  readonly only?: string;
}

/** The result of a case. */
export interface Result {
  readonly name: string;
  readonly rule: string;
  readonly outcome: "held" | "broken" | "not asked";
  /** How the storage broke the rule, or why the case was not asked. */
  readonly seen?: string;
}

/**
 * A storage cannot be checked, since it is not empty or cannot be opened. The run has changed nothing in it.
 */
export class Refusal extends Error {}

/** Checks the whole contract on a storage, case by case, in another process. */
export class Conformance {
  readonly results: Result[] = [];
  /** The URLs of the storages that the run has made, except for those that end with the process. */
  readonly made: string[] = [];
  /** The names of this run's storages begin with this prefix; those of other runs do not. */
  private readonly prefix = `t${Date.now().toString(36)}`;
  private count = 0;
  private process: CaseProcess | undefined;
  private isDown = false;
  /** Settles once the last wish is granted or has failed. */
  private granting: Promise<unknown> = Promise.resolve();
  /** Why the run cannot go on. */
  private failure: Error | undefined;

  constructor(
    private readonly adapter: StorageAdapter,
    private readonly choices: Choices,
  ) {}

  /**
   * @param progress gets the number of cases that are done
   * @throws Refusal if a storage is not empty; Error if the run cannot go on
   */
  async run(progress: (done: number, total: number) => void): Promise<void> {
    try {
      const offered = await this.inspectStorage();
      const { only = "" } = this.choices;
      const wanted = STORAGE_CONTRACT.filter(({ name }) => name.includes(only));
      const cases = wanted.filter((one) => this.canBeAsked(one, offered));
      for (const [done, one] of cases.entries()) {
        progress(done, cases.length);
        this.results.push(await this.ask(one, offered));
        if (this.failure) throw this.failure;
      }
    } finally {
      this.process?.kill();
      await this.bringBack();
    }
  }

  /** Ends the run, and kills the process that is carrying out a case. */
  stop(reason: Error): void {
    this.failure = reason;
    this.process?.kill();
  }

  private async inspectStorage(): Promise<Offered> {
    const url = this.newUrl();
    const answer = await this.carryOut({ order: "inspect", url });
    if (answer.report !== "sight") {
      const reason = "message" in answer ? answer.message : "the process cannot look at it";
      throw new Refusal(`No storage can be asked for its rules: ${reason}`);
    }
    const { empty, archive, petsRead } = answer.sight;
    if (!empty) throw this.notEmpty(url);
    this.noteMade(url);
    return {
      archive,
      petsRead,
      deletePet: this.choices.delete !== undefined,
      outage: this.choices.down !== undefined,
    };
  }

  private canBeAsked({ name, rule, needs }: ContractCase, offered: Offered): boolean {
    const { durable, shared } = this.adapter;
    const all = { ...offered, shared, reopen: durable || shared, createAndDie: durable, useAndClose: true };
    const reason = whyNotAsked(needs, all);
    if (reason) this.results.push({ name, rule, outcome: "not asked", seen: reason });
    return !reason;
  }

  private async ask({ name, rule, needs }: ContractCase, offered: Offered): Promise<Result> {
    const urls = [this.newUrl(), this.newUrl()];
    try {
      const answer = await this.carryOut(
        { order: "run", name, urls, offered },
        needs.includes("outage") ? 3 : 1,
      );
      if (answer.report === "failed") return { name, rule, outcome: "broken", seen: answer.message };
      if (answer.report !== "outcome") throw new Error("The process answered another order than it got.");
      if (answer.outcome.outcome === "refused") {
        const { url } = answer.outcome;
        // The run has not made this storage, so nobody may clean it up.
        this.made.splice(this.made.lastIndexOf(url), 1);
        throw this.notEmpty(url);
      }
      return { name, rule, ...answer.outcome };
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      this.process = undefined;
      // The next cases need the storage back.
      await this.bringBack();
      return { name, rule, outcome: "broken", seen: error.message };
    }
  }

  private carryOut(order: Order, times = 1): Promise<Answer> {
    this.process ??= new CaseProcess({
      opens: (url) => this.noteMade(url),
      grant: (wish) => this.grant(wish),
    });
    return this.process.carryOut(order, this.choices.timeout * 1000 * times);
  }

  private noteMade(url: string): void {
    if (this.adapter.durable || this.adapter.shared) this.made.push(url);
  }

  /** Brings the storage back if the process that took it away has ended without bringing it back. */
  private async bringBack(): Promise<void> {
    await this.granting;
    if (this.isDown) await this.grant({ wish: "up" });
  }

  private grant(wish: Wish): Promise<void> {
    const granted = this.carryOutWish(wish);
    this.granting = granted.catch(() => undefined);
    return granted;
  }

  private async carryOutWish(wish: Wish): Promise<void> {
    try {
      if (wish.wish === "deletePet")
        return await runShell(this.choices.delete ?? "", wish.url, String(wish.id));
      if (wish.wish === "down") this.isDown = true;
      await runShell(this.choices[wish.wish] ?? "");
      if (wish.wish === "up") this.isDown = false;
    } catch (error) {
      // The operator's command is at fault, not the storage, so the run ends.
      this.failure ??= error as Error;
      throw error;
    }
  }

  private newUrl(): string {
    this.count += 1;
    return this.choices.url.replaceAll("{n}", `${this.prefix}_${this.count}`);
  }

  private notEmpty(url: string): Refusal {
    const shown = maskUrl(this.adapter, url);
    return new Refusal(
      `The storage ${shown} is not empty, and was left untouched; let {n} be the part of the URL that tells storages apart`,
    );
  }
}
