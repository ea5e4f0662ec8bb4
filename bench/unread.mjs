// Measures what other clients notice if some clients pipeline requests and read no answer.
//
// npm run build && node bench/unread.mjs [CONNECTIONS] [SECONDS] [REQUESTS] [PROGRAM]
//
// Each of CONNECTIONS sends `GET /openapi.json` REQUESTS times at once, without a key, and once more every half
// second, and reads nothing; the connections open 20 ms apart. Meanwhile another client asks 50 times a second,
// each time over a new connection. The program prints the answers of that client by status, how long they took,
// how many of the CONNECTIONS were still open at the end, and the peak memory of the service.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [connections = 41, seconds = 10, requests = 1000] = process.argv.slice(2, 5).map(Number);
const program = process.argv[5] ?? fileURLToPath(new URL("../dist/src/main.js", import.meta.url));
const REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

const folder = mkdtempSync(join(tmpdir(), "petstore-unread-"));
const service = spawn(process.execPath, [program, "serve"], {
  cwd: folder,
  env: {
    PATH: process.env.PATH,
    PETSTORE_STORAGE: "memory:",
    PETSTORE_PORT: "0",
    PETSTORE_ADMIN_PORT: "0",
    PETSTORE_MAX_IN_FLIGHT: process.env.PETSTORE_MAX_IN_FLIGHT,
  },
  stdio: ["ignore", "pipe", "inherit"],
});
let printed = "";
service.stdout.setEncoding("utf8").on("data", (text) => {
  printed = (printed + text).slice(0, 4000);
});
while (!/ storage /.test(printed)) await sleep(20);
const [, origin] = /listens on (\S+)/.exec(printed);
const { port } = new URL(origin);

let open = 0;
const hostile = [];
for (let count = 0; count < connections; count++) {
  await sleep(20);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  socket.once("connect", () => {
    open++;
    socket.pause().write(REQUEST.repeat(requests));
  });
  socket.once("close", () => open--);
  hostile.push(socket);
}
const more = setInterval(() => {
  for (const socket of hostile) if (socket.writable) socket.write(REQUEST);
}, 500);

const statuses = {};
const times = [];
function ask() {
  const start = performance.now();
  return new Promise((resolve) => {
    get(`${origin}/v1/store/orders`, { agent: false, timeout: 10_000 }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    })
      .on("timeout", (request) => request?.destroy())
      .on("error", ({ code }) => resolve(code));
  }).then((status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    times.push(performance.now() - start);
  });
}
await sleep(1000);
const asked = [];
for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(20))
  asked.push(ask());
await Promise.all(asked);
times.sort((a, b) => a - b);
const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"));
const at = (part) => `${times[Math.floor((times.length - 1) * part)].toFixed(0)} ms`;
console.log(
  `${connections} connections, ${requests} requests each: answers ${JSON.stringify(statuses)}, ` +
    `median ${at(0.5)}, 99 % within ${at(0.99)}; ${open} hostile connections left; peak memory ${Math.round(peak / 1024)} MB`,
);
clearInterval(more);
for (const socket of hostile) socket.destroy();
service.kill("SIGKILL");
rmSync(folder, { recursive: true });
