import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sayIfExits } from "./say-if-exits.js";
import { sayIfSlow } from "./say-if-slow.js";

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
  const path = PATH.test(name) || isBareFile(name) ? findFile(name) : findPackage(name);
  const exports = await sayIfExits(
    "These settings need correcting:\n" +
      `  PETSTORE_STORAGE_ADAPTERS names ${name}, which ends the program as it loads; correct it, or ask those who made it`,
    () =>
      sayIfSlow(
        `the module ${name} of PETSTORE_STORAGE_ADAPTERS to load`,
        import(pathToFileURL(path).href) as Promise<object>,
      ),
  ).catch((error: unknown) => {
    throw new Error(`fails as it loads: ${reason(error)}; correct it, or ask those who made it`);
  });
  return { path, exports };
}

/** Whether a name is a path without a leading `./`, such as `adapters/acme.mjs`, and no package has that module. */
function isBareFile(name: string): boolean {
  if (!/^[^@].*\/.*\.[cm]?js$/.test(name)) return false;
  try {
    import.meta.resolve(name);
    return false;
  } catch {
    return existsSync(name);
  }
}

function findFile(name: string): string {
  const path = resolve(name);
  if (!existsSync(path)) {
    throw new Error(
      `is no file: there is no ${path}; correct the path, which is relative to the working directory`,
    );
  }
  if (statSync(path).isDirectory()) throw new Error("is a folder; name the module in it, e.g. its index.js");
  return path;
}

function findPackage(name: string): string {
  let url: string;
  try {
    url = import.meta.resolve(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw new Error(`cannot be found: ${message}; correct the name`);
    throw new Error(
      `is not installed beside petstore (${installation()}); install it there with npm, or name a file by a path ` +
        `that begins with ./ or /`,
    );
  }
  if (!url.startsWith("file:")) throw new Error("is a module of Node; name the package of a storage");
  const path = fileURLToPath(url);
  if (!existsSync(path))
    throw new Error(`has no file ${path}; correct the name, or install the package again`);
  return path;
}

/** The folder in which npm installs packages beside this program. */
function installation(): string {
  const [, prefix] = /^(.*?)[\\/]node_modules[\\/]/.exec(import.meta.dirname) ?? [];
  return prefix ?? dirname(dirname(dirname(import.meta.dirname)));
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return "it throws something that is no Error";
  return `${error.name === "Error" ? "" : `${error.name}: `}${error.message.split("\n")[0]}`;
}
