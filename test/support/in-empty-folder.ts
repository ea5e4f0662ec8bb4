import { endPrograms, type Program, startProgram } from "./start-program.js";
import { makeFolder, removeFolder } from "./temporary-folder.js";

/**
 * Gives each test of a suite an empty folder. Afterwards it ends the programs that the test has started, and removes
 * the folder.
 */
export function inEmptyFolder(use: (folder: string) => void): void {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
    use(folder);
  });
  afterEach(async () => {
    await endPrograms();
    removeFolder(folder);
  });
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
