// Measures the operations of a storage in turns with the same operations of its bare driver.
const MILLISECONDS = 700;

/** The middle one of the values. */
export const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** How many operations end per second, `inFlight` at a time, and the processor time of each, in microseconds. */
async function throughput(operation, inFlight) {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let done = 0;
  const worker = async () => {
    while (performance.now() - begun < MILLISECONDS) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: done / ((performance.now() - begun) / 1000), cost: (user + system) / done };
}

/**
 * Prints for each operation the medians of adapter and driver. They take turns, so that other work of the machine
 * disturbs both alike.
 *
 * @param pairs by name an operation of the adapter, and the same one of the driver
 */
export async function besideDriver(pairs, rounds) {
  for (const [name, [adapter, driver]] of Object.entries(pairs)) {
    for (const inFlight of [64, 1]) {
      const measured = [];
      for (let round = 0; round <= rounds; round++) {
        const ours = await throughput(adapter, inFlight);
        const raw = await throughput(driver, inFlight);
        // The first round warms up.
        if (round > 0) measured.push({ ours, raw });
      }
      const of = (value) => median(measured.map(value));
      console.log(
        `${name.padEnd(20)} ${String(inFlight).padStart(2)} in flight:` +
          ` adapter ${of(({ ours }) => ours.rate).toFixed(0)}/s, driver ${of(({ raw }) => raw.rate).toFixed(0)}/s,` +
          ` ratio ${of(({ ours, raw }) => ours.rate / raw.rate).toFixed(2)};` +
          ` processor time ${of(({ ours }) => ours.cost).toFixed(0)} and ${of(({ raw }) => raw.cost).toFixed(0)} µs`,
      );
    }
  }
}
