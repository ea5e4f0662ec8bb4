// Loaded into each server before its own code (`node --import`). If the benchmark asks, it answers with what this process
// has used. It is the same for every server, and takes no time otherwise.

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() });
});
// So no server outlives the benchmark, however that ends.
process.on("disconnect", () => process.exit());

export {};
