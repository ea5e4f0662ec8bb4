import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** How many of each request to send per second, whatever the answers are. */
const MIX = [
  { rate: 60, path: "/v1/pets?limit=20" },
  { rate: 30, method: "POST", path: "/v1/pets", body: '{"name":"Rex","categoryId":7}' },
  { rate: 20, path: "/v1/pets/1" },
  { rate: 5, path: "/v1/pets?limit=101" },
  { rate: 4, path: "/v1/pets/999999999" },
  { rate: 3, path: "/v1/pets", key: "petstore_unknown" },
];
const LONG_LIST = { path: "/v1/pets?limit=100" };
/** Milliseconds from one burst to the next. */
const TICK = 50;

/**
 * Sends the mix for so many seconds, and lets events `{ from, to, begin, end }` happen at their seconds.
 * Returns how many requests got which status, or which error instead of an answer.
 */
export async function load(origin, key, seconds, events) {
  const agent = new Agent({ keepAlive: true });
  const counts = {};
  const started = performance.now();
  for (let tick = 0; tick * TICK < seconds * 1000; tick++) {
    for (const { from, to, begin, end } of events) {
      if (tick * TICK === from * 1000) begin?.();
      if (tick * TICK === to * 1000) end?.();
    }
    for (const part of MIX)
      for (let due = dueAt(tick, part.rate); due > 0; due--) send(origin, agent, key, part, counts);
    await sleep(started + (tick + 1) * TICK - performance.now());
  }
  agent.destroy();
  return counts;
}

/**
 * Sends more requests at once than the service takes on: bursts of 400 long lists, until somebody calls
 * the function that it returns.
 */
export function overload(origin, key) {
  const agent = new Agent({ keepAlive: true });
  const timer = setInterval(() => {
    for (let count = 0; count < 400; count++) send(origin, agent, key, LONG_LIST, {});
  }, 200);
  return () => {
    clearInterval(timer);
    agent.destroy();
  };
}

/** How many requests are due in a tick, at a rate per second. */
function dueAt(tick, rate) {
  const sent = (ticks) => Math.floor((ticks * TICK * rate) / 1000);
  return sent(tick + 1) - sent(tick);
}

function send(origin, agent, validKey, { method = "GET", path, body, key = validKey }, counts) {
  const headers = { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) };
  const count = (outcome) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  const sent = request(`${origin}${path}`, { agent, method, headers }, (answer) => {
    count(answer.statusCode);
    answer.resume();
  });
  sent.on("error", ({ code }) => count(code));
  sent.end(body);
}
