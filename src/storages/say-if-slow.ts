/** How long somebody who starts the program waits in the dark, in milliseconds. */
const PATIENCE = 30_000;

/** Says every 30 s on standard error what the start still waits for. Meanwhile the process cannot end by itself. */
export async function sayIfSlow<Result>(what: string, work: Promise<Result>): Promise<Result> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += PATIENCE / 1000;
    console.error(`petstore: for ${seconds} s the start has been waiting for ${what}; it goes on waiting.`);
  }, PATIENCE);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
