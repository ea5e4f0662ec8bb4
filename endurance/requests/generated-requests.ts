import { expectDescribed } from "../../test/support/described.js";
import { HostileConnection } from "../hostile/hostile-connection.js";
import { Random } from "../random.js";
import type { Work } from "../run.js";
import { type GeneratedRequest, generate } from "./generator.js";

/** How many connections send requests. */
const CONNECTIONS = 8;

/** How much of a request is shown. */
const SHOWN = 1500;

/** Sends so many generated requests to a service that nothing is wrong with, and checks each answer. */
export const generatedRequests: Work = async (
  { service, findings, clock, timeline },
  { count, seed },
  stopping,
) => {
  let sent = 0;
  async function client(): Promise<void> {
    let connection: HostileConnection | undefined;
    while (sent < count && !stopping.aborted) {
      const number = sent++;
      const request = generate(new Random(seed, `request ${number}`));
      connection ??= await HostileConnection.open(service.port, () => {});
      const begun = clock.now();
      const problem = await ask(connection, request).catch((error: Error) => error.message);
      timeline.count(typeof problem === "number" ? problem : undefined, clock.now() - begun);
      if (typeof problem === "string") {
        findings.add(
          "described",
          `request ${number} of seed ${seed}: ${problem}`,
          request.bytes.toString("latin1").slice(0, SHOWN),
        );
      }
      if (typeof problem === "string" || connection.hasEnded) {
        connection.close();
        connection = undefined;
      }
    }
    connection?.close();
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
};

/** The status of the answer. @throws Error that says what is wrong with it */
async function ask(
  connection: HostileConnection,
  { method, path, bytes }: GeneratedRequest,
): Promise<number> {
  connection.send(bytes);
  const head = method === "HEAD";
  let answer = await connection.answer({ head });
  // An interim answer to Expect: 100-continue.
  while (answer && answer.status < 200) answer = await connection.answer({ head });
  if (!answer) throw new Error("the connection ended without an answer");
  const { status, text } = answer;
  if (status === 500 || status === 503) throw new Error(`it is answered ${status} ${text}`);
  expectDescribed(method, path, answer);
  return status;
}
