import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { SILENT_CONTEXT, type StorageContext } from "../../application/storage-adapter.js";
import { createForParent, otherProcess, PROCESS_COMMAND } from "../../storage-kit/other-process.js";
import {
  type RuleBroken,
  STORAGE_CONTRACT,
  storageOf,
  whyNotAsked,
} from "../../storage-kit/storage-contract.js";
import { Failure, interruption } from "./exit.js";
import { JSON_OPTION, type Output, print, printJson } from "./output.js";
import type { Program } from "./program.js";
import { Progress } from "./progress.js";

export function addConformance(petstore: Command, program: Program): void {
  petstore
    .command("conformance")
    .description("check a storage against every rule of the contract, in newly created storages")
    .argument("<url>", "the URL of a storage; {n} becomes a new name for each case")
    .option(...JSON_OPTION)
    .action((url: string, output: Output) => checkContract(url, output, program));
  petstore
    .command(PROCESS_COMMAND, { hidden: true })
    .argument("<url>")
    .action(async (url: string) => {
      const storages = await program.loadStorages();
      await createForParent(() => storages.open(url, SILENT_CONTEXT));
      // The process must exit by itself, not through main.ts.
      await once(process, "beforeExit");
    });
}

async function checkContract(pattern: string, { json }: Output, program: Program): Promise<void> {
  const storages = await program.loadStorages();
  const adapter = storages.find(pattern.replaceAll("{n}", "t1"));
  const isInProcess = !adapter.durable && !adapter.shared;
  const redact = storages.redact(pattern);
  if (!pattern.includes("{n}") && !isInProcess) {
    const rule = "the URL must contain {n}, which becomes a new name for each case";
    throw new Failure(`${rule}: ${redact(pattern)}`, 2);
  }
  const progress = new Progress("rules");
  const made = new Set<string>();
  const created = () => (isInProcess ? [] : [...made].map(redact));
  const finish = () => {
    progress.stop();
    const lines = ["These storages were made, and are left for inspection:", ...created()];
    if (lines.length > 1) console.error(lines.join("\n  "));
  };
  const signal = interruption("interrupted", finish);

  let [archive, count] = [false, 0];
  let refusal: Failure | undefined;
  const open = async (url: string, context: StorageContext) => {
    const storage = await storages.open(url, context);
    const [pet] = made.has(url) ? [] : await storage.pets.list({ status: undefined, after: 0n, limit: 1 });
    if (pet) {
      await storage.close();
      refusal = new Failure(redact(`The storage ${url} is not empty, and was left untouched.`), 2);
      throw refusal;
    }
    made.add(url);
    archive = storage.archive !== undefined;
    return storage;
  };
  const { createAndDie, useAndClose: use } = otherProcess();
  const useAndClose = (url: string) => {
    made.add(url);
    return use(url);
  };
  const prefix = `t${Date.now().toString(36)}`;
  const newUrl = () => pattern.replaceAll("{n}", `${prefix}_${++count}`);
  const offer = storageOf({ ...adapter, open }, { newUrl, createAndDie, useAndClose });
  let seen: string | undefined;
  process.on("uncaughtException", (error) => {
    seen ??= `an error outside of any operation, which would end the service: ${error}`;
  });
  const cases: { name: string; rule: string; outcome: string; seen?: string }[] = [];
  for (const { name, rule, needs, run } of STORAGE_CONTRACT) {
    progress.show("checking", cases.length, STORAGE_CONTRACT.length);
    const storage = { ...offer, archive };
    const reason = whyNotAsked(needs, storage);
    seen = reason;
    if (!reason) {
      await run(storage).catch((error: RuleBroken) => {
        seen ??= error.seen;
      });
      // For late errors of the case.
      await sleep(10);
    }
    if (made.size === 0) refusal ??= new Failure(redact(`No storage can be opened: ${seen}`), 2);
    refusal ??= signal.reason;
    if (refusal) break;
    const outcome = reason ? "not asked" : seen ? "broken" : "held";
    cases.push({ name, rule, outcome, ...(seen && { seen: redact(seen) }) });
  }
  finish();
  if (refusal) throw refusal;
  const number = (outcome: string) => cases.filter((one) => one.outcome === outcome).length;
  const [held, broken, notAsked] = [number("held"), number("broken"), number("not asked")];
  if (broken > 0) process.exitCode = 1;
  if (json) return printJson({ held, broken, notAsked, cases, storages: created() });
  for (const { name, rule, outcome, seen } of cases)
    if (outcome === "broken") print(`${name}: ${rule} Seen: ${seen}`);
  print(`${held} held, ${broken} broken`);
}
