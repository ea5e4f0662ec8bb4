import type { Storages } from "../program.js";
import { inspectStorage } from "./inspect-storage.js";
import { createAndDie, useAndEnd } from "./other-process.js";
import type { Granted, Line, Order, Report } from "./process-messages.js";
import { run } from "./run-case.js";

/** Carries out the orders of the process that started this one, until that process disconnects. */
export async function carryOutOrders(storages: Storages): Promise<void> {
  const say = (report: Report): void => void process.send?.(report);
  const granted = new Map<Granted["granted"], (answer: Granted) => void>();
  const line: Line = {
    say,
    wish: (wish) =>
      new Promise((resolve, reject) => {
        granted.set(wish.wish, ({ failure }) =>
          failure === undefined ? resolve() : reject(new Error(failure)),
        );
        say({ report: "wish", wish });
      }),
  };
  process.on("uncaughtException", (error) => say({ report: "uncaught", message: oneLine(error) }));
  process.on("message", (message: Order | Granted) => {
    if ("granted" in message) granted.get(message.granted)?.(message);
    else {
      carryOut(message, storages, line).catch((error: unknown) => {
        say({ report: "failed", message: oneLine(error) });
      });
    }
  });
  await new Promise<void>((resolve) => process.once("disconnect", resolve));
}

async function carryOut(order: Order, storages: Storages, line: Line): Promise<void> {
  switch (order.order) {
    case "inspect":
      return line.say({ report: "sight", sight: await inspectStorage(order.url, storages) });
    case "run":
      return line.say({ report: "outcome", outcome: await run(order, storages, line) });
    case "die":
      return createAndDie(order, storages);
    case "use":
      return useAndEnd(order.url, storages);
  }
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
}
