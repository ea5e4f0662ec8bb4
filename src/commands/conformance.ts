import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../settings.js";
import { otherProcess } from "../storage-kit/other-process.js";
import { HelperFailed } from "../storage-kit/session.js";
import {
  type Outage,
  RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  storageOf,
  whyNotAsked,
} from "../storage-kit/storage-contract.js";
import { Storages } from "../storages.js";
import { interruption } from "./interruption.js";
import { type Output, print, printJson, warn } from "./output.js";
import { Progress } from "./progress.js";

const HELPERS = ["outage", "pause", "deletePet", "drop"];

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

export async function checkContract(
  pattern: string,
  { json, with: module }: Output & { with?: string },
): Promise<void> {
  const storages = await Storages.load(process.env.PETSTORE_STORAGE_ADAPTERS);
  const adapter = storages.find(pattern.replaceAll("{n}", "t1"));
  const isInProcess = !adapter.durable && !adapter.shared;
  if (!pattern.includes("{n}") && !isInProcess) {
    const rule = "the URL must contain {n}, which becomes a new name for each case";
    throw new UsageError(`${rule}: ${storages.redact(pattern)(pattern)}`);
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
        throw new UsageError(`No storage can be opened: ${redact(error.seen)}`);
      if (error?.kind === "timed out") timeouts++;
      if (error?.kind === "outside")
        stopped = `not run, after an error outside of any operation in "${name}"`;
      if (reason) results.push({ name, rule, outcome: "not asked", seen: reason });
      else if (error) results.push({ name, rule, outcome: "broken", seen: redact(error.seen) });
      else results.push({ name, rule, outcome: "held" });
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HelperFailed ? new UsageError(redact(error.message)) : error;
  } finally {
    for (const url of drop ? created : []) {
      try {
        await drop?.(url);
        created.delete(url);
      } catch (error) {
        warn(`drop(…) of --with failed: ${(error as Error)?.message ?? error}`);
      }
    }
    finish();
  }
  await report(results, timeouts, json ? kept() : undefined);
}

/** @param storages those that the cases created, to print JSON; undefined to print text. */
async function report(
  results: readonly Result[],
  timeouts: number,
  storages?: readonly string[],
): Promise<void> {
  const having = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome);
  const [held, broken, notAsked] = [having("held").length, having("broken"), having("not asked")];
  if (broken.length > 0) process.exitCode = 1;
  if (timeouts > 1 && timeouts * 2 > broken.length)
    warn(`${timeouts} of ${broken.length} are time-outs; is the machine busy?`);
  const counts = { held, broken: broken.length, notAsked: notAsked.length };
  if (storages) await printJson({ ...counts, cases: results, storages });
  else {
    for (const { name, rule, seen } of broken) await print(`${name}: ${rule} Seen: ${seen}`);
    const reasons = [...new Set(notAsked.map(({ seen }) => seen))].join("; ");
    const rest = reasons && `, ${notAsked.length} not asked: ${reasons}`;
    await print(`${held} held, ${broken.length} broken${rest}`);
  }
}

/** @throws any other error: a helper failed, or a signal ended the command */
function asRuleBroken(error: unknown): RuleBroken {
  if (error instanceof RuleBroken) return error;
  throw error;
}

async function loadHelpers(module: string | undefined): Promise<Helpers> {
  if (module === undefined) return {};
  const fail = (fault: string): never => {
    throw new UsageError(`--with ${module} ${fault}`);
  };
  const loading: Promise<Helpers> = import(pathToFileURL(resolve(module)).href);
  const exported = await loading.catch((error) => fail(`failed to load: ${error?.message ?? error}`));
  for (const name of ["outage", "pause"] as const) {
    const server: Partial<Outage> | undefined = exported[name];
    if (server && !(server.down && server.up)) fail(`exports ${name}, which is not { down, up }`);
  }
  const helpers = Object.entries(exported).filter(([name]) => HELPERS.includes(name));
  if (helpers.length === 0) fail(`exports none of ${HELPERS.join(", ")}`);
  return Object.fromEntries(helpers);
}
