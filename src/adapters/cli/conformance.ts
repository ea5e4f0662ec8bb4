import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { SILENT_CONTEXT } from "../../application/storage-adapter.js";
import { otherProcess, PROCESS_COMMAND } from "../../storage-kit/other-process.js";
import { HelperFailed } from "../../storage-kit/session.js";
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
    .action((url: string, options: Output & { with?: string }) => checkContract(url, options, program));
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
  { json, with: module }: Output & { with?: string },
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
  const urls = [pattern];
  const redact = (text: string) => urls.reduce((text, url) => storages.redact(url)(text), text);
  const created = new Set<string>();
  const kept = () => (isInProcess ? [] : [...created].map(redact));
  const progress = new Progress("rules");
  const finish = () => {
    progress.stop();
    if (kept().length > 0) console.error(`Created and kept for inspection: ${kept().join(" ")}`);
  };
  const signal = interruption("interrupted", finish);

  const prefix = `t${Date.now().toString(36)}`;
  let archive = false;
  const storage = storageOf(adapter, {
    ...helpers,
    ...otherProcess(),
    interrupted: once(signal, "abort"),
    newUrl() {
      const url = pattern.replaceAll("{n}", `${prefix}_${urls.length}`);
      urls.push(url);
      return url;
    },
    onCreate(url, storage) {
      created.add(url);
      archive = storage.archive !== undefined;
    },
  });

  const results: Result[] = [];
  let [timeouts, stopped] = [0, ""];
  try {
    for (const { name, rule, needs, run } of STORAGE_CONTRACT) {
      progress.show("checking", results.length, STORAGE_CONTRACT.length);
      const tested = { ...storage, archive };
      const reason = stopped || whyNotAsked(needs, tested);
      const error = reason ? undefined : await run(tested).catch(asRuleBroken);
      if (error && created.size === 0)
        throw new Failure(`No storage can be opened: ${redact(error.seen)}`, 2);
      if (error?.kind === "timed out") timeouts++;
      if (error?.kind === "outside")
        stopped = `not run, after an error outside of any operation in "${name}"`;
      const outcome = reason ? "not asked" : error ? "broken" : "held";
      const seen = reason ?? (error && redact(error.seen));
      results.push({ name, rule, outcome, ...(seen && { seen }) });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HelperFailed ? new Failure(redact(error.message), 2) : error;
  } finally {
    const dropOne = async (url: string) => drop?.(url);
    for (const url of drop ? created : []) {
      const dropped = () => created.delete(url);
      await dropOne(url).then(dropped, (error) =>
        warn(`drop(…) of --with failed: ${error?.message ?? error}`),
      );
    }
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
  const reasons = new Set(results.filter(({ outcome }) => outcome === "not asked").map(({ seen }) => seen));
  print(
    `${held} held, ${broken} broken${notAsked > 0 ? `, ${notAsked} not asked: ${[...reasons].join("; ")}` : ""}`,
  );
}

/** @throws any other error: a helper failed, or a signal ended the command */
function asRuleBroken(error: unknown): RuleBroken {
  if (error instanceof RuleBroken) return error;
  throw error;
}

const FORMS = { outage: "{ down, up }", pause: "{ down, up }", deletePet: "a function", drop: "a function" };

async function loadHelpers(module: string | undefined): Promise<Helpers> {
  if (module === undefined) return {};
  const fail = (fault: string): never => {
    throw new Failure(`--with ${module} ${fault}`, 2);
  };
  const loading: Promise<Record<string, unknown>> = import(pathToFileURL(resolve(module)).href);
  const exported = await loading.catch((error) => fail(`failed to load: ${error?.message ?? error}`));
  const helpers = Object.entries(FORMS).filter(([name]) => exported[name] !== undefined);
  if (helpers.length === 0) fail("exports none of outage, pause, deletePet, drop");
  const [wrong] = helpers.filter(([name, form]) => formOf(exported[name]) !== form);
  if (wrong) fail(`exports ${wrong[0]}, which is not ${wrong[1]}`);
  return Object.fromEntries(helpers.map(([name]) => [name, exported[name]]));
}

function formOf(value: unknown): string | undefined {
  if (typeof value === "function") return "a function";
  const { down, up } = (value ?? {}) as Partial<Outage>;
  return typeof down === "function" && typeof up === "function" ? "{ down, up }" : undefined;
}
