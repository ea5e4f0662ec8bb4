import { setTimeout as sleep } from "node:timers/promises";

// node load.mjs KEY ORIGIN kept|new: 32 clients create and list until SIGTERM, and three times after it. Prints a line once the
// service has responded to each, and finally the statuses. Exit code 1 if more than MAX_FAILED (0) requests failed.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");
const [key, origin, connections] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
if (connections === "new") headers.Connection = "close";
const statuses = {};
let failed = 0;
let stopping = false;
process.once("SIGTERM", () => {
  stopping = true;
});

async function send(method, expected, body) {
  const response = fetch(`${origin}/v1/pets`, { method, headers, body }).then(async (res) => {
    await res.arrayBuffer();
    return res.status;
  });
  const status = await response.catch(({ cause }) => cause.code);
  const name = `${method} ${status}`;
  statuses[name] = (statuses[name] ?? 0) + 1;
  if (status !== expected) failed++;
}

async function client(_, index) {
  await sleep(index * 8);
  for (let left = 3; left > 0; left -= stopping ? 1 : 0) {
    await send("GET", 200);
    await send("POST", 201, '{"name":"Rex","categoryId":7}');
    if (statuses["POST 201"] === 32) console.log("the service responds");
    await sleep(240);
  }
}

await Promise.all(Array.from({ length: 32 }, client));
console.log(`  ${JSON.stringify(statuses)}`);
process.exitCode = failed > Number(process.env.MAX_FAILED ?? 0) ? 1 : 0;
