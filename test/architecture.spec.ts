import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { expect } from "chai";

// The layer rules. Biome formats the sources in `npm run check`, so plain regular expressions can read them.

/** Source text by path below `src`, with slashes. */
type Files = Readonly<Record<string, string>>;

const NODE = "node:.+";
const PACKAGE = "(?!node:|tsyringe$|reflect-metadata$)(?:@[a-z0-9-]+/)?[a-z0-9-]+(?:/[^.]+(?:\\.js)?)?";
const CORE = ["domain/.+", "application/.+"];
/** The types of a storage, which each storage and those who use one have in common. */
const STORAGE = "storages/(?:storage-adapter|mask-url|around/(?:around|deadline|patience))\\.ts";
const KNOWN_STORAGES = "storages/(?:known-storages|mask-url|storage-adapter)\\.ts";

/**
 * The only modules that the files of a layer may import: paths below `src`, packages, Node modules. The first row
 * that matches a file counts, and each file needs a row. $1 is the group of the row.
 */
const LAYERS: readonly (readonly [files: RegExp, imports: readonly string[]])[] = [
  [/^domain\//, ["domain/.+"]],
  [/^application\//, CORE],
  [/^adapters\/cli\//, [...CORE, STORAGE, "contracts/.+", "adapters/cli/.+", NODE, PACKAGE]],
  [/^adapters\/http\//, [...CORE, "adapters/http/.+", NODE, PACKAGE]],
  [/^adapters\/([^/]+)\//, [...CORE, STORAGE, "adapters/$1/.+", NODE, PACKAGE]],
  [/^contracts\//, [...CORE, STORAGE, "contracts/.+", NODE]],
  [/^api-document\//, ["api-document/.+", "marked", "yaml", NODE]],
  [/^exports\//, ["domain/.+", "application/ports/.+", STORAGE]],
  [
    /^storages\//,
    ["domain/.+", "application/ports/.+", "storages/.+", "adapters/[^/]+/storage\\.ts", "valibot", NODE],
  ],
  [/^settings\//, ["adapters/keys/api-key\\.ts", KNOWN_STORAGES, "settings/.+", "valibot", "node:net"]],
  [/^container\.ts$/, ["(?!\\.\\.).+\\.ts", "tsyringe", "reflect-metadata", NODE, PACKAGE]],
  [
    /^(?:process\/)?[^/]+\.ts$/,
    ["[^/]+\\.ts", "(?:application|process|settings|storages|adapters)/.+", NODE, PACKAGE],
  ],
];

/** Packages that only one place may import, so that they can be replaced there. */
const HOMES: Readonly<Record<string, RegExp>> = {
  tsyringe: /^container\.ts$/,
  "reflect-metadata": /^container\.ts$/,
  "@photostructure/sqlite": /^adapters\/sqlite\//,
  mongodb: /^adapters\/mongodb\//,
  koa: /^adapters\/http\//,
  "koa-bodyparser": /^adapters\/http\//,
  "@koa/router": /^adapters\/http\//,
};

const READS_ENVIRONMENT = "reads the environment, which settings.ts gets from those who start";

/** Texts that only some files may hold, each with what it does. */
const WORDS: readonly (readonly [text: RegExp, allowed: RegExp, breach: string])[] = [
  // The core gives the same answer everywhere and always: clock, environment and chance come in through ports.
  [
    /\b(?:new Date|Date\.now|performance|Math\.random|crypto|process|globalThis|import\.meta|Intl|console|fetch|set(?:Timeout|Interval|Immediate))\b/,
    /^(?!domain\/|application\/|exports\/)/,
    "reads what is around the core",
  ],
  [/^\s*@\w|\(@\w/m, /^(?!domain\/|application\/|exports\/)/, "carries a decorator"],
  [
    /\bprocess\.env\b/,
    /^(?:run|process\/serve)\.ts$|^adapters\/cli\/|^contracts\/other-process\.ts$|^api-document\/browser\/samples/,
    READS_ENVIRONMENT,
  ],
  // The time of day can jump; only who judges or shows dates may ask for it.
  [
    /\bDate\.now\b/,
    /^domain\/|^application\/|^adapters\/(?:keys|cli)\/|^adapters\/metrics\/metrics\.ts$/,
    "measures by a clock that can jump",
  ],
  [
    /\b(?:createRequire|getBuiltinModule|eval\(|new Function)\b/,
    /^container\.ts$|^adapters\/(?:metrics\/metrics|mongodb\/storage)\.ts$/,
    "hides an import",
  ],
  [/\b(?:import|require)\(\s*[^"\s]/, /^storages\/load-module\.ts$/, "imports what it does not name"],
  [
    /["'`](?:memory|sqlite|mongodb(?:\+srv)?)(?:["'`]|:)|adapters\/(?:memory|sqlite|mongodb)\//,
    /^adapters\/(?:memory|sqlite|mongodb)\/|^storages\/built-in\.ts$/,
    "names a storage",
  ],
];

/** What no file of the core names, not even in a comment: it serves any protocol. */
const HTTP = /HTTP|\bheaders?\b|\bRFC \d|petId|Idempotency-Key|\bquery\b/i;

/** The most files that a folder may hold. */
const MOST_FILES = 12;

/** Every breach of the layer rules, as "file: breach". */
function breaches(files: Files): string[] {
  const all = Object.entries(files);
  return [
    ...all.flatMap(([file, source]) =>
      [...importBreaches(file, source), ...wordBreaches(file, source), ...missingNames(files, source)].map(
        (breach) => `${file}: ${breach}`,
      ),
    ),
    ...crowdedFolders(files),
    ...Object.keys(files)
      .filter((file) => reachedFrom(file, files).has(file))
      .map((file) => `${file}: imports itself, perhaps through others`),
  ];
}

/** The modules that a file imports, types included: paths below `src`, or names as they are. */
function importsOf(file: string, source: string): string[] {
  const plain =
    /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"/gm;
  return [...code(source).matchAll(plain)].map((match) => {
    const name = (match[1] ?? match[2] ?? match[3]) as string;
    return name.startsWith(".") ? posix.join(posix.dirname(file), name).replace(/\.js$/, ".ts") : name;
  });
}

/** The source without its comments. */
function code(source: string): string {
  return source.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, "");
}

function importBreaches(file: string, source: string): string[] {
  const [files, allowed] = LAYERS.find(([files]) => files.test(file)) ?? [];
  if (!files || !allowed) return ["no layer has this file"];
  const own = files.exec(file)?.[1] ?? "";
  const rule = new RegExp(`^(?:${allowed.join("|").replace("$1", own)})$`);
  const homeOf = (name: string) =>
    Object.entries(HOMES).find(([home]) => name === home || name.startsWith(`${home}/`));
  return importsOf(file, source)
    .filter((name) => !rule.test(name) || homeOf(name)?.[1].test(file) === false)
    .map((name) => `imports ${name}`);
}

function wordBreaches(file: string, source: string): string[] {
  const text = code(source);
  const breached = WORDS.filter(([word, allowed]) => word.test(text) && !allowed.test(file));
  const speaksHttp = /^(?:domain|application)\//.test(file) && HTTP.test(source);
  return [...breached.map(([, , breach]) => breach), ...(speaksHttp ? ["speaks HTTP"] : [])];
}

/** Names of files in backticks, as comments have them, that no file of `src` has. */
function missingNames(files: Files, source: string): string[] {
  return [...source.matchAll(/`(?:\.\.\/)*([\w./-]+\.ts)`/g)]
    .map(([, name]) => name)
    .filter((name) => !Object.keys(files).some((path) => `/src/${path}`.endsWith(`/${name}`)))
    .map((name) => `names ${name}, which is not there`);
}

function crowdedFolders(files: Files): string[] {
  const folders = Object.keys(files).map((file) => posix.dirname(file));
  const filesIn = (folder: string) => folders.filter((other) => other === folder).length;
  return [...new Set(folders)]
    .filter((folder) => filesIn(folder) > MOST_FILES)
    .map((folder) => `${folder}: has ${filesIn(folder)} files`);
}

function reachedFrom(start: string, files: Files): Set<string> {
  const reached = new Set<string>();
  const next = [start];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    const imported = importsOf(file, files[file] ?? "").filter((name) => !reached.has(name));
    for (const name of imported) reached.add(name);
    next.push(...imported);
  }
  return reached;
}

function readSource(): Files {
  const root = join(import.meta.dirname, "../../src");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  const sources = paths.filter((path) => path.endsWith(".ts"));
  const read = (path: string) => [path.split(sep).join("/"), readFileSync(join(root, path), "utf8")];
  return Object.fromEntries(sources.map(read));
}

describe("architecture", () => {
  const files = readSource();

  it("keeps the layer rules", () => {
    expect(Object.values(files).flatMap((source) => importsOf("x.ts", source)).length).to.be.above(80);
    expect(breaches(files)).to.deep.equal([]);
  });

  describe("finds what is planted in", () => {
    const PLANTED: readonly (readonly [file: string, source: string, breach: string])[] = [
      ["domain/pet.ts", 'import "../application/get-pet.js";', "imports application/get-pet.ts"],
      ["application/get-pet.ts", 'import type {\n  A,\n} from "pino";', "imports pino"],
      ["adapters/cli/x.ts", 'import "../http/app.js";', "imports adapters/http/app.ts"],
      ["adapters/keys/x.ts", 'import "../memory/storage.js";', "imports adapters/memory/storage.ts"],
      ["contracts/x.ts", 'import "mocha";', "imports mocha"],
      ["api-document/x.ts", 'let x: import("../settings/settings.js").X;', "imports settings/settings.ts"],
      ["exports/x.ts", 'export * from "node:fs";', "imports node:fs"],
      ["storages/x.ts", 'import "../adapters/http/app.js";', "imports adapters/http/app.ts"],
      ["settings/x.ts", 'import { readFileSync } from "node:fs";', "imports node:fs"],
      ["container.ts", 'import "../test/support/start-app.js";', "imports ../test/support/start-app.ts"],
      ["main.ts", 'await import("./domain/pet.js");', "imports domain/pet.ts"],
      ["helpers/x.ts", "", "no layer has this file"],
      ["adapters/http/x.ts", 'import m from "mongodb/lib/bson.js";', "imports mongodb/lib/bson.js"],
      ["domain/pet.ts", "const now = Date.now();", "reads what is around the core"],
      ["application/get-pet.ts", "@injectable()\nclass A {}", "carries a decorator"],
      ["domain/pet.ts", "/** As RFC 9110 has it. */", "speaks HTTP"],
      ["adapters/http/x.ts", "const x = process.env.X;", READS_ENVIRONMENT],
      ["adapters/sqlite/x.ts", "const start = Date.now();", "measures by a clock that can jump"],
      ["adapters/http/x.ts", 'import { createRequire } from "node:module";', "hides an import"],
      ["adapters/http/x.ts", "await import(name);", "imports what it does not name"],
      ["container.ts", 'const scheme = "mongodb+srv";', "names a storage"],
      ["adapters/http/x.ts", "/** `gone/y.ts` leads on. */", "names gone/y.ts, which is not there"],
    ];
    for (const [file, source, breach] of PLANTED) {
      it(`${file}: ${source.replace(/\s+/g, " ") || "an empty file"}`, () => {
        expect(breaches({ [file]: source })).to.deep.equal([`${file}: ${breach}`]);
      });
    }

    it("a circle of imports", () => {
      const planted = {
        "domain/x.ts": 'import type { Y } from "./y.js";',
        "domain/y.ts": 'import type { Z } from "./z.js";',
        "domain/z.ts": 'export type { X } from "./x.js";',
      };
      expect(breaches({ ...planted, "domain/pet.ts": 'import "./x.js";' })).to.deep.equal(
        Object.keys(planted).map((file) => `${file}: imports itself, perhaps through others`),
      );
    });

    it("a folder of 13 files", () => {
      const names = Array.from({ length: 13 }, (_, n) => [`domain/x${n}.ts`, ""]);
      expect(breaches(Object.fromEntries(names))).to.deep.equal(["domain: has 13 files"]);
    });
  });
});
