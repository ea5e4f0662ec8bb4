import http from "node:http";
import https from "node:https";

// Creates and lists, 250 a second in all, until SIGTERM and for ENOUGH pairs more. Exit code 1 if more than MOST_FAILED
// (none) of them fail. Prints a line once the service has answered ENOUGH pairs, and at the end how many got which status.
const ENOUGH = 100;
// While so many wait for an answer, it sends no more: a slow machine takes long for a restart, and the service would
// rightly answer `overloaded`.
const MOST_WAITING = 500;
const mostFailed = Number(process.env.MOST_FAILED ?? 0);
let waiting = 0;
const [key, origin, connections] = process.argv.slice(2);
const { Agent, request } = origin.startsWith("https:") ? https : http;
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
// With `new`, each request opens a new connection.
const agent = new Agent({ keepAlive: connections !== "new", rejectUnauthorized: false });
const statuses = {};
let left = Number.POSITIVE_INFINITY;

const timer = setInterval(() => {
  if (waiting >= MOST_WAITING) return;
  send("GET", 200);
  send("POST", 201, '{"name":"Rex","categoryId":7}');
  if (--left === 0) clearInterval(timer);
}, 8);
process.once("SIGTERM", () => (left = ENOUGH));
process.on("exit", () => {
  console.log(`  ${JSON.stringify(statuses)}`);
  const { 200: _lists, 201: _creates, ...failed } = statuses;
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  if (failures > mostFailed) process.exitCode = 1;
});

function send(method, expected, body) {
  waiting++;
  const count = (status) => {
    waiting--;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 201 && statuses[status] === ENOUGH) console.log("the service answers");
  };
  const sent = request(`${origin}/v1/pets`, { agent, method, headers }, (answer) => {
    answer.resume().once("close", () => {
      count(answer.complete && answer.statusCode === expected ? expected : `${method} ${answer.statusCode}`);
    });
  });
  sent.on("error", ({ code }) => count(`${method} ${code}`));
  sent.end(body);
}
