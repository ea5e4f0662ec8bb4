/** How long a start waits before it says so, and before it says so again, in milliseconds. */
const PATIENCE = 30_000;

/** Says every 30 s on standard error what the start still waits for. Its timer keeps the process alive. */
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
