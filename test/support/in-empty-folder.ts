import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endPrograms, type Program, startProgram } from "./start-program.js";

const root = mkdtempSync(join(tmpdir(), "petstore-tests-"));
// Other users, such as PostgreSQL's, must reach their folders in it.
chmodSync(root, 0o755);
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

/** Creates an empty folder, which is removed when the process exits. */
export function makeFolder(): string {
  return mkdtempSync(join(root, "test-"));
}

/** Creates an empty folder for each test of a suite, and ends the programs that the test started. */
export function inEmptyFolder(): () => string {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(endPrograms);
  return () => folder;
}

/** Starts the program in an empty folder, once for the enclosing suite. */
export function useProgram(): () => { readonly cwd: string; readonly program: Program } {
  let cwd: string;
  let program: Program;
  before(async () => {
    cwd = makeFolder();
    program = await startProgram({ cwd });
  });
  after(endPrograms);
  return () => ({ cwd, program });
}
