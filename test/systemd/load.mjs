import http from "node:http";
import https from "node:https";

// Creates and lists, 250 a second in all, until SIGTERM. Exit code 1 if one of them fails.
const [key, origin, connections] = process.argv.slice(2);
const { Agent, request } = origin.startsWith("https:") ? https : http;
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
// With `new`, each request opens a new connection.
const agent = new Agent({ keepAlive: connections !== "new", rejectUnauthorized: false });
const statuses = {};

const timer = setInterval(() => {
  send("GET", 200);
  send("POST", 201, '{"name":"Rex","categoryId":7}');
}, 8);
process.once("SIGTERM", () => clearInterval(timer));
process.on("exit", () => {
  console.log(`  ${JSON.stringify(statuses)}`);
  const isGood = ([status, count]) => ["200", "201"].includes(status) && count > 100;
  if (Object.keys(statuses).length !== 2 || !Object.entries(statuses).every(isGood)) process.exitCode = 1;
});

function send(method, expected, body) {
  const count = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const sent = request(`${origin}/v1/pets`, { agent, method, headers }, (answer) => {
    count(answer.statusCode === expected ? expected : `${method} ${answer.statusCode}`);
    answer.resume();
  });
  sent.on("error", ({ code }) => count(`${method} ${code}`));
  sent.end(body);
}
