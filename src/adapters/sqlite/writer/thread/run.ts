import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../database.js";
import { Bell } from "../bell.js";
import { WriterGauges } from "../gauges.js";
import { OPENED, type Request, type WriterStart } from "../messages.js";
import { Committer } from "./committer.js";
import { Inbox } from "./inbox.js";

// The writing thread runs this. `writer-thread.ts` starts it, and `writer.ts` gives it work. All that may wait
// for the disk or for a lock happens in this folder.

const port = parentPort as MessagePort;
const start = workerData as WriterStart;
const gauges = new WriterGauges(start.gauges);
const inbox = new Inbox(port, new Bell(start.bell));

/** Works until the file is closed, or the process ends. */
function workWith(committer: Committer): void {
  let request: Request | undefined;
  while (!committer.closed) {
    request ??= inbox.receive();
    if (!request && committer.log.untilLook > 0) {
      inbox.wait(committer.log.untilLook);
      continue;
    }
    if (!gauges.begin()) return;
    if (request) request = committer.work(request, inbox);
    else committer.log.look();
    gauges.end();
  }
}

const { file, make } = start;
const database = await openDatabase(file, make, gauges);
const committer = new Committer(database, file.path, gauges, (answers) => port.postMessage(answers));
port.postMessage(OPENED);
workWith(committer);
