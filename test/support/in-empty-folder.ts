import { endPrograms, type Program, startProgram } from "./start-program.js";
import { makeFolder } from "./temporary-folder.js";

/**
 * Gives each test of a suite an empty folder, and ends the programs that the test has started.
 *
 * @returns the path of the folder of the test that runs
 */
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
