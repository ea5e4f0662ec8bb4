import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A package by npm's rule for names, or a module of it. */
const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(\/[^\s:]+)?$/i;
const PATH = /^\.{0,2}\//;

export function isModuleName(text: string): boolean {
  return PACKAGE.test(text) || PATH.test(text);
}

/** A loaded module. */
interface LoadedModule {
  readonly path: string;
  readonly exports: object;
}

/**
 * Loads a module that the operator has named. Looks for a package beside the installed program, never in the working
 * directory, which a service may write to. A path is relative to the working directory.
 *
 * @throws Error whose message follows the name of the module, e.g. "fails as it loads: …".
 */
export async function loadModule(name: string): Promise<LoadedModule> {
  const path = PATH.test(name) ? findFile(name) : findPackage(name);
  const exports = await import(pathToFileURL(path).href).catch((error: unknown) => {
    const reason =
      error instanceof Error ? error.message.split("\n")[0] : "it throws something that is no Error";
    throw new Error(`fails as it loads: ${reason}; correct it, or ask those who made it`);
  });
  return { path, exports };
}

function findFile(name: string): string {
  const path = resolve(name);
  if (existsSync(path)) return path;
  throw new Error(
    `is no file: there is no ${path}; correct the path, which is relative to the working directory`,
  );
}

function findPackage(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    // A path without a leading ./, such as adapters/acme.mjs; a package of that name would come first.
    if (/\/.*\.[cm]?js$/.test(name) && existsSync(name)) return resolve(name);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw new Error(`cannot be found: ${message}; correct the name`);
    throw new Error(
      `is not installed beside petstore (${installation()}); install it there with npm, or name a file by a path ` +
        "that begins with ./ or /",
    );
  }
}

/** The folder in which npm installs packages beside this program. */
function installation(): string {
  const [, prefix] = /^(.*?)[\\/]node_modules[\\/]/.exec(import.meta.dirname) ?? [];
  return prefix ?? dirname(dirname(dirname(import.meta.dirname)));
}
