import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

// Eight seconds of creates and lists, 100 a second. Exit code 1 if one of them fails.
const headers = { Authorization: `Bearer ${process.argv[2]}`, "Content-Type": "application/json" };
// With `new`, each request opens a new connection.
const agent = new Agent({ keepAlive: process.argv[3] !== "new" });
const failures = [];

for (let turn = 0; turn < 400; turn++) {
  send("GET", 200);
  send("POST", 201, '{"name":"Rex","categoryId":7}');
  await sleep(20);
}
agent.destroy();
process.on("exit", () => {
  if (failures.length === 0) return;
  console.error(`failed: ${failures.join(", ")}`);
  process.exitCode = 1;
});

function send(method, status, body) {
  const sent = request("http://127.0.0.1:3000/v1/pets", { agent, method, headers }, (answer) => {
    if (answer.statusCode !== status) failures.push(answer.statusCode);
    answer.resume();
  });
  sent.on("error", ({ code }) => failures.push(code));
  sent.end(body);
}
