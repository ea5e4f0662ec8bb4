import { endPrograms, type Program, startProgram } from "./start-program.js";
import { makeFolder, removeFolder } from "./temporary-folder.js";

/**
 * Gives each test of a suite an empty folder, and ends the programs that the test has started. Removes the folders after
 * the suite, once nothing in them is open.
 *
 * @returns the path of the folder of the test that runs
 */
export function inEmptyFolder(): () => string {
  const folders: string[] = [];
  beforeEach(() => {
    folders.push(makeFolder());
  });
  afterEach(endPrograms);
  after(() => folders.splice(0).forEach(removeFolder));
  return () => folders.at(-1) as string;
}

/** Starts the program in an empty folder, once for the enclosing suite. */
export function useProgram(): () => { readonly cwd: string; readonly program: Program } {
  let cwd: string;
  let program: Program;
  before(async () => {
    cwd = makeFolder();
    program = await startProgram({ cwd });
  });
  after(async () => {
    await endPrograms();
    removeFolder(cwd);
  });
  return () => ({ cwd, program });
}
