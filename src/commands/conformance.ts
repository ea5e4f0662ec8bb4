import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Storage } from "../application/storage-adapter.js";
import { UsageError } from "../settings.js";
import { describeError } from "../storage-kit/messages.js";
import { otherProcess } from "../storage-kit/other-process.js";
import { HelperFailed } from "../storage-kit/session.js";
import * as kit from "../storage-kit/storage-contract.js";
import { Storages } from "../storages.js";
import { interruption } from "./interruption.js";
import { type Output, print, printJson, warn } from "./output.js";
import { Progress } from "./progress.js";

/** The optional exports of the `--with` module; `drop` deletes a storage that the cases created. */
const HELPERS = ["outage", "pause", "deletePet", "drop"];
type Helpers = Pick<kit.StorageUnderTest, "outage" | "pause" | "deletePet"> & { drop?(url: string): unknown };

interface Result extends Pick<kit.ContractCase, "name" | "rule"> {
  readonly outcome: "held" | "broken" | "not asked";
  /** The evidence of a broken rule, or why the case did not run. */
  readonly seen: string | undefined;
}

export async function checkContract(pattern: string, options: Output & { with?: string }): Promise<void> {
  const storages = await Storages.load(process.env);
  const adapter = storages.find(pattern.replaceAll("{n}", "t1"));
  const isInProcess = !adapter.durable && !adapter.shared;
  if (!pattern.includes("{n}") && !isInProcess) {
    const rule = "the URL must contain {n}, which becomes a new name for each case";
    throw new UsageError(`${rule}: ${storages.mask(pattern)}`);
  }
  const { drop, ...helpers } = await loadHelpers(options.with);
  const prefix = `t${Date.now().toString(36)}`;
  const urls = [pattern];
  const newUrl = () => {
    const url = pattern.replaceAll("{n}", `${prefix}_${urls.length}`);
    urls.push(url);
    return url;
  };
  const redact = (text: string) => urls.reduce((text, url) => storages.redact(url)(text), text);
  const created = new Set<string>();
  const kept = () => (isInProcess ? [] : [...created].map(redact));
  const progress = new Progress("rules");
  const finish = () => {
    progress.stop();
    if (kept().length > 0) console.error(`Created and kept for inspection: ${kept().join(" ")}`);
  };
  const signal = interruption("interrupted", finish);
  const tested = {
    ...kit.storageOf(adapter, { ...helpers, ...otherProcess(), newUrl }),
    archive: false,
    onCreate(url: string, { archive }: Storage) {
      created.add(url);
      tested.archive = archive !== undefined;
    },
  };
  const results: Result[] = [];
  try {
    for await (const result of runCases(tested, signal)) {
      const seen = result.seen && redact(result.seen);
      if (result.outcome === "broken" && created.size === 0)
        throw new UsageError(`No storage can be opened: ${seen}`);
      results.push({ ...result, seen });
      progress.show("checking", results.length, kit.STORAGE_CONTRACT.length);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HelperFailed ? new UsageError(redact(error.message)) : error;
  } finally {
    if (drop) await dropAll(created, drop);
    finish();
  }
  await report(results, options.json && kept());
}

/** Runs the cases until an error outside of any call, which would end the service. @throws HelperFailed */
async function* runCases(storage: kit.StorageUnderTest, signal: AbortSignal): AsyncGenerator<Result> {
  const outside = new AbortController();
  const abort = (error: unknown) => outside.abort(`an error outside of any call: ${describeError(error)}`);
  process.on("uncaughtException", abort).on("unhandledRejection", abort);
  const interrupted = once(AbortSignal.any([signal, outside.signal]), "abort");
  try {
    for (const { name, rule, needs, run } of kit.STORAGE_CONTRACT) {
      const isOver = outside.signal.aborted;
      const reason = isOver ? "not run after an error outside of any call" : kit.whyNotAsked(needs, storage);
      if (reason) {
        yield { name, rule, outcome: "not asked", seen: reason };
        continue;
      }
      const error: unknown = await run({ ...storage, interrupted }).catch((error) => error);
      const seen: string | undefined =
        outside.signal.reason ?? (error instanceof kit.RuleBroken ? error.seen : undefined);
      if (error && !seen) throw error;
      yield { name, rule, outcome: seen ? "broken" : "held", seen };
    }
  } finally {
    process.off("uncaughtException", abort).off("unhandledRejection", abort);
  }
}

/** Drops storages; those that cannot be dropped stay in the set. */
async function dropAll(urls: Set<string>, drop: (url: string) => unknown): Promise<void> {
  for (const url of urls) {
    try {
      await drop(url);
      urls.delete(url);
    } catch (error) {
      warn(`drop(…) of --with failed: ${(error as Error)?.message ?? error}`);
    }
  }
}

/** @param storages the storages that the cases created, for JSON; undefined to print text */
async function report(results: readonly Result[], storages: readonly string[] | undefined): Promise<void> {
  const having = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome);
  const [held, broken, notAsked] = [having("held").length, having("broken"), having("not asked")];
  if (broken.length > 0) process.exitCode = 1;
  const counts = { held, broken: broken.length, notAsked: notAsked.length };
  if (storages) return printJson({ ...counts, cases: results, storages });
  for (const { name, rule, seen } of broken) await print(`${name}: ${rule} Seen: ${seen}`);
  const reasons = [...new Set(notAsked.map(({ seen }) => seen))].join("; ");
  const rest = reasons && `, ${notAsked.length} not asked: ${reasons}`;
  await print(`${held} held, ${broken.length} broken${rest}`);
}

async function loadHelpers(module: string | undefined): Promise<Helpers> {
  if (module === undefined) return {};
  const loading: Promise<Helpers> = import(pathToFileURL(resolve(module)).href);
  const exported = await loading.catch((error) => {
    throw new UsageError(`--with ${module} failed to load: ${error?.message ?? error}`);
  });
  const helpers = Object.entries(exported).filter(([name]) => HELPERS.includes(name));
  if (helpers.length === 0) throw new UsageError(`--with ${module} exports none of ${HELPERS.join(", ")}`);
  return Object.fromEntries(helpers);
}
