import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A package by npm's rule for names, or a module of it. */
const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(\/[^\s:]+)?$/i;
const PATH = /^\.{0,2}\//;

export function isModuleName(text: string): boolean {
  return PACKAGE.test(text) || PATH.test(text);
}

/**
 * Loads a module that the operator has named. Looks for a package beside the installed program, never in the working
 * directory, which a service may write to. A path is relative to the working directory.
 *
 * @throws Error whose message follows the name of the module, e.g. "fails as it loads: …".
 */
export async function loadModule(name: string): Promise<{ path: string; exports: object }> {
  const path = PATH.test(name) ? resolve(name) : findPackage(name);
  if (!existsSync(path)) {
    throw new Error(
      `is no file: there is no ${path}; correct the path, which is relative to the working directory or the package`,
    );
  }
  const exports = await import(pathToFileURL(path).href).catch((error) => {
    const [reason] = String(error?.message ?? error).split("\n");
    throw new Error(`fails as it loads: ${reason}; correct it, or ask those who made it`);
  });
  return { path, exports };
}

function findPackage(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (error) {
    // A path without a leading ./, such as adapters/acme.mjs; a package of that name would come first. A name in a
    // scope, such as @acme/storage/index.js, is always a package's.
    if (/^[^@].*\/.*\.[cm]?js$/.test(name) && existsSync(name)) return resolve(name);
    const { code, message } = error as NodeJS.ErrnoException;
    // For example, the package exports no module of this name.
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
