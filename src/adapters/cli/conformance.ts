import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { SILENT_CONTEXT, type StorageAdapter } from "../../application/storage-adapter.js";
import { otherProcess, PROCESS_COMMAND } from "../../storage-kit/other-process.js";
import { HelperFailed, OPEN_LIMIT, Session } from "../../storage-kit/session.js";
import {
  type Outage,
  RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  storageOf,
  whyNotAsked,
} from "../../storage-kit/storage-contract.js";
import { runForParent } from "./contract-process.js";
import { Failure, interruption } from "./exit.js";
import { JSON_OPTION, type Output, print, printJson, warn } from "./output.js";
import type { Program } from "./program.js";
import { Progress } from "./progress.js";

interface Options extends Output {
  readonly with?: string;
}

/** What the module of `--with` may export. */
interface Helpers extends Pick<StorageUnderTest, "outage" | "pause" | "deletePet"> {
  /** Deletes a storage that the cases created. */
  drop?(url: string): unknown;
}

interface Result {
  readonly name: string;
  readonly rule: string;
  readonly outcome: "held" | "broken" | "not asked";
  /** What was seen, or why the case was not asked. */
  readonly seen?: string;
}

export function addConformance(petstore: Command, program: Program): void {
  petstore
    .command("conformance")
    .description("check a storage against every rule of the contract, in newly created storages")
    .argument("<url>", "the URL of a storage; {n} becomes a new name for each case")
    .option(
      "--with <module>",
      "a module that exports outage, pause, deletePet or drop, for the cases that need them",
    )
    .option(...JSON_OPTION)
    .action((url: string, options: Options) => checkContract(url, options, program));
  petstore
    .command(PROCESS_COMMAND, { hidden: true })
    .argument("<url>")
    .action(async (url: string) => {
      const storages = await program.loadStorages();
      await runForParent(() => storages.open(url, SILENT_CONTEXT));
      // The process must exit by itself, not through main.ts.
      await once(process, "beforeExit");
    });
}

async function checkContract(
  pattern: string,
  { json, with: module }: Options,
  program: Program,
): Promise<void> {
  const storages = await program.loadStorages();
  const adapter = storages.find(pattern.replaceAll("{n}", "t1"));
  const isInProcess = !adapter.durable && !adapter.shared;
  if (!pattern.includes("{n}") && !isInProcess) {
    const rule = "the URL must contain {n}, which becomes a new name for each case";
    throw new Failure(`${rule}: ${storages.redact(pattern)(pattern)}`, 2);
  }
  const { drop, ...helpers } = await loadHelpers(module);
  const urls = new Set([pattern]);
  const redact = (text: string) => [...urls].reduce((text, url) => storages.redact(url)(text), text);
  const created = new Set<string>();
  const kept = () => (isInProcess ? [] : [...created].map(redact));
  const progress = new Progress("rules");
  const finish = () => {
    progress.stop();
    if (kept().length > 0) console.error(`Created and kept for inspection: ${kept().join(" ")}`);
  };
  const signal = interruption("interrupted", finish);
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  ended.catch(() => undefined);

  const prefix = `t${Date.now().toString(36)}`;
  let hasArchive = false;
  const { createAndDie, useAndClose } = otherProcess();
  const storage = storageOf(adapter, {
    ...helpers,
    ended,
    async newUrl() {
      const url = pattern.replaceAll("{n}", `${prefix}_${urls.size}`);
      urls.add(url);
      if (!isInProcess && (await hasPets(adapter, url)))
        throw new HelperFailed(`The storage ${url} is not empty, and was left untouched.`);
      return url;
    },
    createAndDie,
    useAndClose(url) {
      created.add(url);
      return useAndClose(url);
    },
    onCreate(url, { archive }) {
      created.add(url);
      hasArchive = archive !== undefined;
    },
  });

  const results: Result[] = [];
  let [timeouts, outside] = [0, ""];
  try {
    for (const { name, rule, needs, run } of STORAGE_CONTRACT) {
      progress.show("checking", results.length, STORAGE_CONTRACT.length);
      const tested = { ...storage, archive: hasArchive };
      const reason = outside || whyNotAsked(needs, tested);
      const error = reason ? undefined : await run(tested).catch(asRuleBroken);
      if (error && created.size === 0)
        throw new Failure(`No storage can be opened: ${redact(error.seen)}`, 2);
      if (error?.kind === "timed out") timeouts++;
      if (error?.kind === "outside")
        outside = `not run, after an error outside of any operation in "${name}"`;
      const outcome = reason ? "not asked" : error ? "broken" : "held";
      const seen = reason ?? (error && redact(error.seen));
      results.push({ name, rule, outcome, ...(seen && { seen }) });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HelperFailed ? new Failure(redact(error.message), 2) : error;
  } finally {
    if (drop) await dropAll(created, drop);
    finish();
  }

  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  const [held, broken, notAsked] = [count("held"), count("broken"), count("not asked")];
  if (broken > 0) process.exitCode = 1;
  if (timeouts > 1 && timeouts * 2 > broken)
    warn(`${timeouts} of ${broken} are time-outs; is the machine busy?`);
  if (json) return printJson({ held, broken, notAsked, cases: results, storages: kept() });
  for (const { name, rule, outcome, seen } of results)
    if (outcome === "broken") print(`${name}: ${rule} Seen: ${seen}`);
  print(
    `${held} held, ${broken} broken${notAsked === 0 ? "" : `, ${notAsked} not asked: ${reasons(results)}`}`,
  );
}

/** Leaves in the set what cannot be dropped. */
async function dropAll(created: Set<string>, drop: (url: string) => unknown): Promise<void> {
  for (const url of [...created]) {
    try {
      await drop(url);
      created.delete(url);
    } catch (error) {
      warn(`drop(…) of --with failed: ${(error as Error | undefined)?.message ?? error}`);
    }
  }
}

/** @throws any other error: a helper failed, or a signal ended the command */
function asRuleBroken(error: unknown): RuleBroken {
  if (error instanceof RuleBroken) return error;
  throw error;
}

/** Whether a storage exists and has a pet. Writes nothing; what fails here is left for the cases to find. */
async function hasPets(adapter: StorageAdapter, url: string): Promise<boolean> {
  const session = new Session(storageOf(adapter, { newUrl: () => url }), OPEN_LIMIT);
  try {
    const { pets } = await session.open(false, url);
    return (await pets.list({ status: undefined, after: 0n, limit: 1 })).length > 0;
  } catch {
    return false;
  } finally {
    await session.closeAll().catch(() => undefined);
  }
}

const FUNCTION = (value: unknown) => typeof value === "function";
const OUTAGE = (value: Partial<Outage> | null) => FUNCTION(value?.down) && FUNCTION(value?.up);
const EXPORTS = { outage: OUTAGE, pause: OUTAGE, deletePet: FUNCTION, drop: FUNCTION };

async function loadHelpers(module: string | undefined): Promise<Helpers> {
  if (module === undefined) return {};
  const fail = (fault: string): never => {
    throw new Failure(`--with ${module} ${fault}`, 2);
  };
  const loading: Promise<Helpers> = import(pathToFileURL(resolve(module)).href);
  const exported = await loading.catch((error) => fail(`failed to load: ${error?.message ?? error}`));
  const names = (Object.keys(EXPORTS) as (keyof Helpers)[]).filter((name) => exported[name] !== undefined);
  if (names.length === 0) fail("exports none of outage, pause, deletePet, drop");
  const wrong = names.find((name) => !EXPORTS[name](exported[name] as Partial<Outage>));
  if (wrong)
    fail(`exports ${wrong}, which is not ${EXPORTS[wrong] === OUTAGE ? "{ down, up }" : "a function"}`);
  return Object.fromEntries(names.map((name) => [name, exported[name]]));
}

/** Why cases were not asked, each reason once, with the names of its cases. */
function reasons(results: readonly Result[]): string {
  const names = new Map<string, string[]>();
  for (const { name, outcome, seen = "" } of results) {
    if (outcome === "not asked") names.set(seen, [...(names.get(seen) ?? []), name]);
  }
  return [...names].map(([reason, names]) => `${reason} (${names.join(", ")})`).join("; ");
}
