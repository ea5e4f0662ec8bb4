/** Finds files that import each other in a circle, or themselves. Sorts each circle by name. */
export function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles = new Set<string>();
  for (const file of imports.keys()) {
    const reached = reachedFrom(file, imports);
    if (!reached.has(file)) continue;
    const circle = [...reached].filter((other) => reachedFrom(other, imports).has(file));
    cycles.add(JSON.stringify(circle.sort()));
  }
  return [...cycles].map((circle) => JSON.parse(circle));
}

function reachedFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const next = [...(imports.get(start) ?? [])];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    next.push(...(imports.get(file) ?? []));
  }
  return reached;
}
