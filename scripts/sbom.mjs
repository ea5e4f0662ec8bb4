// Prints the dependencies that the package holds as CycloneDX. `npm sbom` alone lists those of development as well, and
// names the package after the folder of the clone.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const temporary = mkdtempSync(join(tmpdir(), "petstore-"));
try {
  const folder = join(temporary, "petstore");
  mkdirSync(folder);
  const { devDependencies, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  delete lock.packages[""].devDependencies;
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    if (dev || devOptional) delete lock.packages[path];
  }
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const options = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  const list = JSON.parse(
    execFileSync("npm", options, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] }),
  );
  // Both differ each time, and two builds of one commit are equal.
  delete list.serialNumber;
  delete list.metadata.timestamp;
  console.log(JSON.stringify(list, undefined, 2));
} finally {
  rmSync(temporary, { recursive: true });
}
