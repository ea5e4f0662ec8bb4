import { expectDescribed } from "../../test/support/described.js";
import type { Answer } from "../history/exchange.js";
import { HostileConnection } from "../hostile/hostile-connection.js";
import { Random } from "../random.js";
import type { Work } from "../run.js";
import { type GeneratedRequest, generate } from "./generator.js";

/** How many connections send requests. */
const CONNECTIONS = 8;

/** How many characters of a request a finding shows. */
const SHOWN = 1500;

/** Sends `count` generated requests to a service without faults, and checks each answer. */
export const generatedRequests: Work = async (
  { service, findings, clock, timeline },
  { count, seed },
  stopping,
) => {
  let sent = 0;
  async function client(): Promise<void> {
    let connection: HostileConnection | undefined;
    let before: GeneratedRequest | undefined;
    while (sent < count && !stopping.aborted) {
      const number = sent++;
      const request = generate(new Random(seed, `request ${number}`));
      connection ??= await HostileConnection.open(service.port, () => {});
      const begun = clock.now();
      const result = await ask(connection, request).catch((error: Error) => error.message);
      timeline.count(typeof result === "string" ? undefined : result.status, clock.now() - begun);
      if (typeof result === "string") {
        findings.add(
          "described",
          `request ${number} of seed ${seed}: ${result}`,
          ...[before, request].map(
            (one) => one?.bytes.toString("latin1").slice(0, SHOWN) ?? "a new connection",
          ),
        );
      }
      if (typeof result === "string" || connection.hasEnded || result.headers.connection === "close") {
        connection.close();
        connection = undefined;
      }
      before = connection && request;
    }
    connection?.close();
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
};

/** The answer. @throws Error that says what is wrong with it */
async function ask(
  connection: HostileConnection,
  { method, path, bytes }: GeneratedRequest,
): Promise<Answer> {
  connection.send(bytes);
  const head = method === "HEAD";
  let answer = await connection.answer({ head });
  // An interim answer to Expect: 100-continue.
  while (answer && answer.status < 200) answer = await connection.answer({ head });
  if (!answer) throw new Error("the connection ended without an answer");
  const { status, text } = answer;
  if (status === 500 || status === 503) throw new Error(`the answer is ${status} ${text}`);
  // Methods are case-sensitive (RFC 9110, section 9.1).
  expectDescribed(/^[A-Z]+$/.test(method) ? method : "UNKNOWN", path, answer);
  return answer;
}
