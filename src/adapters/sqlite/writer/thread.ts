import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openDatabase } from "../database.js";
import { Committer } from "./committer.js";
import { WriterGauges } from "./gauges.js";
import type { Opening, Request, WriterStart } from "./messages.js";

// The writing thread runs this; `writer.ts` starts it and gives it work. Everything that may wait for the
// disk or for a lock happens here.

const port = parentPort as MessagePort;
const { file, make, gauges: memory } = workerData as WriterStart;

function receive(): Request | undefined {
  return receiveMessageOnPort(port)?.message;
}

function tell(opening: Opening): void {
  port.postMessage(opening);
}

const gauges = new WriterGauges(memory);
try {
  const database = await openDatabase(file, make, (open) => gauges.busyWith(open));
  const committer = new Committer(database, file.path, gauges, (answers) => port.postMessage(answers));
  port.on("message", (first: Request) => {
    let request: Request | undefined = first;
    while (request && gauges.begin()) {
      request = committer.work(request, receive);
      gauges.end();
      if (committer.closed) port.close();
    }
  });
  tell({ opened: true });
} catch (error) {
  const { message, cause } = error as Error;
  tell({ opened: false, message, cause: (cause as Error | undefined)?.message ?? message });
}
