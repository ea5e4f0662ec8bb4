// npm run dev: builds and starts the service, and again after each save in src. If a build fails, the service stays as it is.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { onSave } from "./on-save.mjs";

const OUT = "dist-dev";
const children = new Set();
let service;

function node(...args) {
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  children.add(child);
  const ended = once(child, "exit").finally(() => children.delete(child));
  return { child, ended };
}

async function restart() {
  const [code] = await node("scripts/build.mjs", OUT).ended;
  if (code !== 0) return;
  service?.child.kill();
  await service?.ended;
  service = node(`${OUT}/src/main.js`, "serve");
}

let saves = 0;
let work = Promise.resolve();

/** Of the saves during a build, one more build takes all. */
function next() {
  const save = ++saves;
  work = work.then(() => (save === saves ? restart() : undefined));
}

for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(signal, async () => {
    saves = Number.POSITIVE_INFINITY;
    const ends = [...children].map((child) => once(child, "exit"));
    for (const child of children) child.kill();
    await Promise.all(ends);
    process.exit(128 + number);
  });
}
onSave(["src"], next);
next();
