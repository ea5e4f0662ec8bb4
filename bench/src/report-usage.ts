// Loaded into each server before its own code (`node --import`): tells the benchmark, when asked, what this
// process has used. The same for every server, and it costs nothing in between.

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() });
});
// No server outlives the benchmark, however that ends.
process.on("disconnect", () => process.exit());

export {};
