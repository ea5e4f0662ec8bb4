import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { expect } from "chai";
import { importCycles } from "./support/import-cycles.js";
import { type Token, tokens } from "./support/tokens.js";

/** Source text by path below `src`, with slashes. */
type Files = Readonly<Record<string, string>>;

interface Layer {
  /** The files that the row is for; `imports` may use a group `(…)` as $1. */
  readonly files: RegExp;
  /** The only modules that these files may import: paths below `src`, packages, Node modules. */
  readonly imports: readonly string[];
  /** Whether clock, environment and chance must come in through a port. */
  readonly pure?: boolean;
}

const ANY_NODE_MODULE = "node:.+";
const ANY_PACKAGE = "(?!node:|tsyringe$|reflect-metadata$)(?:@[a-z0-9-]+/)?[a-z0-9-]+(?:/.+)?(?<!\\.ts)";

/** The layers of the design. The first row that matches a file counts, and each file needs a row. */
const LAYERS: readonly Layer[] = [
  { files: /^domain\//, imports: ["domain/.+"], pure: true },
  { files: /^application\//, imports: ["domain/.+", "application/.+"], pure: true },
  {
    files: /^adapters\/cli\//,
    imports: ["domain/.+", "application/.+", "contracts/.+", "adapters/cli/.+", ANY_NODE_MODULE, ANY_PACKAGE],
  },
  {
    files: /^adapters\/([^/]+)\//,
    imports: ["domain/.+", "application/.+", "adapters/$1/.+", ANY_NODE_MODULE, ANY_PACKAGE],
  },
  {
    files: /^contracts\//,
    imports: ["domain/.+", "application/.+", "contracts/.+", "node:assert(?:/strict)?"],
  },
  {
    files: /^api-document\//,
    imports: [
      "domain/.+",
      "application/.+",
      "adapters/http/.+",
      "api-document/.+",
      ANY_NODE_MODULE,
      ANY_PACKAGE,
    ],
  },
  { files: /^exports\//, imports: ["domain/.+", "application/ports/.+"], pure: true },
  {
    files: /^storages\//,
    imports: ["application/.+", "settings/.+", "storages/.+", "adapters/[^/]+/storage\\.ts", ANY_NODE_MODULE],
  },
  {
    files: /^settings\//,
    imports: ["application/ports/.+", "settings/.+", "valibot", "node:net", "node:os"],
  },
  {
    files: /^(?:container|tokens)\.ts$/,
    imports: [".+\\.ts", "tsyringe", "reflect-metadata", ANY_NODE_MODULE, ANY_PACKAGE],
  },
  {
    files: /^(?:process\/[^/]+|[^/]+)\.ts$/,
    imports: [
      "[^/]+\\.ts",
      "application/.+",
      "process/.+",
      "settings/.+",
      "storages/.+",
      "adapters/.+",
      ANY_NODE_MODULE,
      ANY_PACKAGE,
    ],
  },
];

/** The files that may load a module that an operator names. */
const LOADER = "storages/load-module.ts";

/** The files that may read the environment: they hand it to `settings` as they start. */
const STARTERS = /^(?:main|worker|process\/serve)\.ts$|^adapters\/cli\//;

/**
 * The files that may ask for the time of day, since they judge dates. It can jump; others use
 * `performance.now()`.
 */
const DATE_READERS = /^adapters\/(?:keys\/|cli\/|http\/middleware\/request-log\.ts$)/;

/** Packages that only one place may import, so that they can be replaced there. */
const HOMES: Readonly<Record<string, RegExp>> = {
  tsyringe: /^container\.ts$/,
  "reflect-metadata": /^container\.ts$/,
  "@photostructure/sqlite": /^adapters\/(?:sqlite|keys)\//,
  mongodb: /^adapters\/mongodb\//,
  koa: /^adapters\/http\//,
  "koa-compose": /^adapters\/http\//,
  "@koa/router": /^adapters\/http\//,
  "raw-body": /^adapters\/http\//,
};

/** The globals that the core may use: each gives the same answer everywhere and always. */
const PURE_GLOBALS = new Set(
  (
    "Array BigInt Boolean Error Infinity JSON Map Math NaN Number Object Promise RangeError RegExp Set String " +
    "Symbol TypeError undefined"
  ).split(" "),
);

const MOCHA_GLOBALS = new Set(
  "describe xdescribe context xcontext it xit specify xspecify before after beforeEach afterEach run".split(
    " ",
  ),
);

const IMPURE_GLOBALS = new Set(
  [
    ...Object.getOwnPropertyNames(globalThis),
    "require",
    "module",
    "exports",
    "__dirname",
    "__filename",
  ].filter((name) => !PURE_GLOBALS.has(name) && !MOCHA_GLOBALS.has(name)),
);

/** Ways to load or run code that hide it from this check. */
const UNREADABLE = new Set(["getBuiltinModule", "eval", "Function"]);

/** The one file that may load packages by `require`, which starts quicker. Their names count as imports. */
const REQUIRES = "container.ts";

/** Every breach of the layer rules, as "file: breach". */
function breaches(files: Files): string[] {
  return Object.entries(files).flatMap(([file, source]) =>
    [...new Set(breachesIn(file, source))].map((breach) => `${file}: ${breach}`),
  );
}

function breachesIn(file: string, source: string): string[] {
  const layer = LAYERS.find(({ files }) => files.test(file));
  if (!layer) return ["no layer has this file"];
  if (/\/\/\/\s*<reference/.test(source)) return ["names types by a reference comment"];
  let found: Token[];
  try {
    found = tokens(source);
  } catch (error) {
    return [`cannot be read: ${(error as Error).message}`];
  }
  return [
    ...importsOf(found).flatMap((specifier) => importBreaches(file, layer, specifier)),
    ...found.flatMap((_, index) => wordBreaches(file, layer, found, index)),
  ];
}

/** The modules that a file imports in any way; undefined stands for an import that is not a plain string. */
function importsOf(found: readonly Token[]): (string | undefined)[] {
  const plain = (token: Token | undefined) =>
    token?.kind === "string" && !token.text.includes("\\") ? token.text : undefined;
  return found.flatMap(({ kind, text }, index) => {
    const [next, second, third] = found.slice(index + 1, index + 4);
    if (kind !== "word" || isMember(found, index)) return [];
    if (text === "from" && (next?.kind === "string" || next?.kind === "template")) return [plain(next)];
    if (text !== "import" && text !== "require") return [];
    if (next?.kind === "string") return [plain(next)];
    if (next?.text !== "(") return [];
    return [third?.text === ")" || third?.text === "," ? plain(second) : undefined];
  });
}

/** The path below `src`, if the import is a file of this project. */
function targetOf(file: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");
}

/** The files that import each other in a circle. Imports of types count, and so do dynamic ones. */
function cycles(files: Files): string[][] {
  return importCycles(
    new Map(
      Object.entries(files).map(([file, source]) => {
        const imports = importsOf(tokens(source)).flatMap((specifier) => specifier ?? []);
        return [file, imports.map((specifier) => targetOf(file, specifier))];
      }),
    ),
  );
}

/** The most files that a folder may hold. */
const MOST_FILES = 12;

/** The folders with too many files, each with their number. */
function crowdedFolders(files: Files): string[] {
  const counts = new Map<string, number>();
  for (const file of Object.keys(files)) {
    const folder = posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder}: ${count}`);
}

function importBreaches(file: string, { files, imports }: Layer, specifier: string | undefined): string[] {
  if (specifier === undefined) return file === LOADER ? [] : ["imports what is not a plain string"];
  const target = targetOf(file, specifier);
  const own = files.exec(file)?.[1] ?? "";
  const allowed = imports.some((pattern) => new RegExp(`^(?:${pattern.replace("$1", own)})$`).test(target));
  const home = Object.entries(HOMES).find(([name]) => target === name || target.startsWith(`${name}/`));
  return allowed && (!home || home[1].test(file)) ? [] : [`imports ${target}`];
}

function wordBreaches(file: string, layer: Layer, found: readonly Token[], index: number): string[] {
  const { kind, text } = found[index] as Token;
  const [dot, member] = found.slice(index + 1, index + 3);
  if (layer.pure && kind === "mark" && text === "@") return ["carries a decorator"];
  if (kind !== "word") return [];
  if (/^(?:createR|r)equire$/.test(text) && file !== REQUIRES) return [`names ${text}`];
  if (UNREADABLE.has(text)) return [`names ${text}`];
  if (text === "process" && member?.text === "env" && !STARTERS.test(file)) {
    return ["reads the environment"];
  }
  if (text === "Date" && member?.text === "now" && !layer.pure && !DATE_READERS.test(file)) {
    return ["measures by a clock that can jump"];
  }
  if (!layer.pure || isMember(found, index)) return [];
  if (text === "Math" && (dot?.text !== "." || member?.text === "random")) return ["names Math.random"];
  if (text === "import" && dot?.text === ".") return ["names import.meta"];
  // A type may name a date that a caller hands in; only making one is a breach.
  const before = found[index - 1]?.text;
  if (text === "Date" && (before === ":" || before === "|") && dot?.text !== "." && dot?.text !== "(")
    return [];
  return IMPURE_GLOBALS.has(text) ? [`names ${text}`] : [];
}

/** Whether the word follows a dot, and so names a member. After `...` it names a global. */
function isMember(found: readonly Token[], index: number): boolean {
  return found[index - 1]?.text === "." && found[index - 2]?.text !== ".";
}

/** Finds mentions of a storage in files that are not its own: its scheme, a URL of it, or its folder. */
function namesOfStorages(files: Files): string[] {
  const storage = "(?:memory|sqlite|mongodb(?:\\+srv)?)";
  const name = new RegExp(`^${storage}$|(?<!\\w)${storage}:|adapters/${storage}/`);
  return Object.entries(files)
    .filter(([file]) => !/^adapters\/(?:memory|sqlite|mongodb)\/|^storages\/built-in\.ts$/.test(file))
    .flatMap(([file, source]) =>
      tokens(source)
        .filter(({ kind, text }) => kind !== "word" && kind !== "mark" && name.test(text))
        .map(({ text }) => `${file}: ${text}`),
    );
}

/** Finds names of files in backticks, as comments have them, that no file of `src` has. */
function missingNames(files: Files): string[] {
  const paths = Object.keys(files).map((path) => `/src/${path}`);
  return Object.entries(files).flatMap(([file, source]) =>
    [...source.matchAll(/`(?:\.\.\/)*([\w./-]+\.ts)`/g)]
      .map(([, name]) => name)
      .filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))
      .map((name) => `${file}: ${name}`),
  );
}

function readSource(): Files {
  const root = join(import.meta.dirname, "../../src");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.[cm]?[jt]sx?$/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => [path.split(sep).join("/"), readFileSync(join(root, path), "utf8")]),
  );
}

describe("architecture", () => {
  describe("of src", () => {
    const files = readSource();

    it("is read in full", () => {
      expect(Object.keys(files).length).to.be.within(25, 400);
      for (const folder of ["domain/", "application/ports/", "adapters/http/", "adapters/sqlite/"]) {
        expect(
          Object.keys(files).some((path) => path.startsWith(folder)),
          folder,
        ).to.equal(true);
      }
      const imports = Object.values(files).flatMap((source) => importsOf(tokens(source)));
      expect(imports.length).to.be.greaterThan(80);
      // As many as a plain search finds, so that no misread token hides one.
      const plainly =
        /^import ".+";$|^(?:import|export) .*from ".+";$|^} from ".+";$|\b(?:import|require)\("[^"]+"\)/gm;
      const lines = Object.values(files).flatMap((source) => source.match(plainly) ?? []);
      expect(imports.filter((specifier) => specifier !== undefined)).to.have.length(lines.length);
    });

    it("keeps the layer rules", () => {
      expect(breaches(files)).to.deep.equal([]);
    });

    it("has only one file that loads a module without naming it", () => {
      const named = Object.entries(files).flatMap(([file, source]) =>
        importsOf(tokens(source)).map((specifier) => [file, specifier]),
      );
      expect(named.filter(([, specifier]) => specifier === undefined)).to.deep.equal([[LOADER, undefined]]);
    });

    it("names a storage only in its own folder and in the list of those built in", () => {
      expect(namesOfStorages(files)).to.deep.equal([]);
      expect(namesOfStorages({ "container.ts": files["storages/built-in.ts"] as string })).to.deep.equal([
        "container.ts: ../adapters/memory/storage.js",
        "container.ts: ../adapters/mongodb/storage.js",
        "container.ts: ../adapters/sqlite/storage.js",
        "container.ts: sqlite:./data/petstore.db",
        "container.ts: mongodb://127.0.0.1:27017/petstore",
      ]);
      for (const scheme of ["memory", "sqlite", "mongodb", "mongodb+srv"]) {
        expect(namesOfStorages({ "main.ts": `const a = "${scheme}";` }), scheme).to.have.length(1);
        expect(namesOfStorages({ "main.ts": `a(\`use ${scheme}:x\`)` }), scheme).to.have.length(1);
      }
      expect(namesOfStorages({ "main.ts": 'const a = "in memory";' })).to.deep.equal([]);
    });

    it("names in its comments only files that exist", () => {
      expect(missingNames(files)).to.deep.equal([]);
      const planted = {
        "a/x.ts": "/** `y.ts` leads on, `src/b/y.ts` and `gone/y.ts` too. `x.ts` is here. */",
        "b/y.ts": "",
      };
      expect(missingNames(planted)).to.deep.equal(["a/x.ts: gone/y.ts"]);
    });

    it("has no files that import each other in a circle", () => {
      expect(cycles(files)).to.deep.equal([]);
    });

    it("has no folder of more than a dozen files", () => {
      expect(crowdedFolders(files)).to.deep.equal([]);
    });
  });

  describe("finds a planted circle of imports", () => {
    const sources = readSource();
    for (const [name, planted, circle] of [
      [
        "of two files",
        { "a/x.ts": 'import { y } from "../b/y.js";', "b/y.ts": 'import { x } from "../a/x.js";' },
        ["a/x.ts", "b/y.ts"],
      ],
      [
        "of types alone",
        { "a/x.ts": 'import type { Y } from "./y.js";', "a/y.ts": 'export type { X } from "./x.js";' },
        ["a/x.ts", "a/y.ts"],
      ],
      [
        "of types named in place",
        { "a/x.ts": 'let y: import("./y.js").Y;', "a/y.ts": 'import { type X } from "./x.js";' },
        ["a/x.ts", "a/y.ts"],
      ],
      [
        "of three files, one of which imports later",
        {
          "a/x.ts": 'import "./y.js";',
          "a/y.ts": 'await import("./z.js");',
          "a/z.ts": 'export * from "./x.js";',
        },
        ["a/x.ts", "a/y.ts", "a/z.ts"],
      ],
      ["of one file", { "a/x.ts": 'import type { X } from "./x.js";' }, ["a/x.ts"]],
    ] as const) {
      it(name, () => {
        expect(cycles({ ...sources, ...planted })).to.deep.equal([circle]);
      });
    }
  });

  it("finds a folder of 13 files", () => {
    const file = (_: unknown, index: number) => [`domain/x${index}.ts`, ""];
    const twelve = Object.fromEntries(Array.from({ length: 12 }, file));
    expect(crowdedFolders(twelve)).to.deep.equal([]);
    expect(crowdedFolders({ ...twelve, "domain/pet.ts": "" })).to.deep.equal(["domain: 13"]);
  });

  describe("finds the violation planted in", () => {
    const APPLICATION = "application/get-pet.ts";
    const PLANTED: readonly (readonly [file: string, source: string, breach: string])[] = [
      // Imports that each layer forbids.
      ["domain/pet.ts", 'import "../application/get-pet.js";', "imports application/get-pet.ts"],
      ["domain/pet.ts", 'import { v } from "valibot";', "imports valibot"],
      ["domain/pet.ts", 'import { randomUUID } from "node:crypto";', "imports node:crypto"],
      ["domain/pet.ts", 'import { randomUUID } from "crypto";', "imports crypto"],
      [APPLICATION, 'import { x } from "../adapters/http/app.js";', "imports adapters/http/app.ts"],
      [APPLICATION, 'import { x } from "../settings/settings.js";', "imports settings/settings.ts"],
      [APPLICATION, 'import { x } from "../domain/../adapters/http/app.js";', "imports adapters/http/app.ts"],
      [APPLICATION, 'import { x } from "pino";', "imports pino"],
      [
        "adapters/http/app.ts",
        'import "../memory/memory-pet-repository.js";',
        "imports adapters/memory/memory-pet-repository.ts",
      ],
      ["adapters/keys/api-key.ts", 'import "../../container.js";', "imports container.ts"],
      ["adapters/keys/api-key.ts", 'import "../../settings/settings.js";', "imports settings/settings.ts"],
      [
        "adapters/keys/api-key.ts",
        'import "../../../test/support/start-app.js";',
        "imports ../test/support/start-app.ts",
      ],
      ["adapters/keys/api-key.ts", 'import "/etc/x.js";', "imports /etc/x.js"],
      ["adapters/keys/api-key.ts", 'import x from "#alias";', "imports #alias"],
      ["adapters/http/app.ts", 'import { container } from "tsyringe";', "imports tsyringe"],
      ["adapters/http/app.ts", 'import "reflect-metadata";', "imports reflect-metadata"],
      ["adapters/http/app.ts", 'import m from "mongodb/lib/bson.js";', "imports mongodb/lib/bson.js"],
      ["adapters/memory/x.ts", 'import s from "@photostructure/sqlite";', "imports @photostructure/sqlite"],
      ["settings/settings.ts", 'import "../container.js";', "imports container.ts"],
      [
        "contracts/x.ts",
        'import "../adapters/memory/memory-pet-repository.js";',
        "imports adapters/memory/memory-pet-repository.ts",
      ],
      ["contracts/x.ts", 'import "mocha";', "imports mocha"],
      ["settings/settings.ts", 'import { readFileSync } from "node:fs";', "imports node:fs"],
      ["main.ts", 'import { container } from "tsyringe";', "imports tsyringe"],
      ["main.ts", 'import { newPet } from "./domain/pet.js";', "imports domain/pet.ts"],
      ["helpers/x.ts", "", "no layer has this file"],
      // Every way to write an import.
      [APPLICATION, 'import type { Logger } from "pino";', "imports pino"],
      [APPLICATION, 'import {\n  type Logger,\n} from\n  "pino";', "imports pino"],
      [APPLICATION, "import x, * as y from'pino'", "imports pino"],
      [APPLICATION, 'export * from "pino";', "imports pino"],
      [APPLICATION, 'export type { Logger } from "pino";', "imports pino"],
      [APPLICATION, 'const x = await import("pino");', "imports pino"],
      [APPLICATION, 'let x: import("pino").Logger;', "imports pino"],
      [APPLICATION, 'import /* " */ x /* */ from /* */ "pino";', "imports pino"],
      [APPLICATION, `const a = \`\${import("pino")}\`;`, "imports pino"],
      [APPLICATION, `const a = \`\${\`}\${"\`"}\`}\`; import "pino";`, "imports pino"],
      [APPLICATION, "const a = /[/\"`]/; import 'pino'; // \"", "imports pino"],
      [APPLICATION, 'const a = "//"; import "pino";', "imports pino"],
      [APPLICATION, 'const a = b / 2; import "pino"; c / 1;', "imports pino"],
      [APPLICATION, "await import(`pino`);", "imports what is not a plain string"],
      [APPLICATION, 'await import("pi" + "no");', "imports what is not a plain string"],
      [APPLICATION, "await import(name);", "imports what is not a plain string"],
      [APPLICATION, 'import "\\x70ino";', "imports what is not a plain string"],
      [APPLICATION, 'import x = require("pino");', "names require"],
      ["adapters/http/app.ts", 'import { createRequire } from "node:module";', "names createRequire"],
      ["container.ts", 'const x = require("mongodb");', "imports mongodb"],
      ["container.ts", "const x = require(name);", "imports what is not a plain string"],
      ["adapters/http/app.ts", 'process.getBuiltinModule("fs");', "names getBuiltinModule"],
      ["adapters/http/app.ts", 'new Function("return 1");', "names Function"],
      ["adapters/http/app.ts", '/// <reference types="mocha" />', "names types by a reference comment"],
      ["adapters/http/app.ts", "const \\u0061 = 1;", "cannot be read: cannot read \\ at 6"],
      ["adapters/http/app.ts", `const a = \`\${1}`, "cannot be read: unfinished template at 15"],
      // Sources that the core may not read, and syntax that it may not have.
      ["domain/pet.ts", "const now = Date.now();", "names Date"],
      ["domain/pet.ts", "const now = new Date();", "names Date"],
      ["domain/pet.ts", "const f = a ? b : Date.now;", "names Date"],
      ["domain/pet.ts", "const now = a | Date(1);", "names Date"],
      ["domain/pet.ts", "const { now } = Date;", "names Date"],
      ["domain/pet.ts", "const now = performance.now();", "names performance"],
      ["domain/pet.ts", "const x = Math.random();", "names Math.random"],
      ["domain/pet.ts", "const { random } = Math;", "names Math.random"],
      ["domain/pet.ts", 'const x = Math["random"]();', "names Math.random"],
      ["domain/pet.ts", "const x = crypto.randomUUID();", "names crypto"],
      ["domain/pet.ts", "const x = globalThis.crypto;", "names globalThis"],
      ["domain/pet.ts", "const x = [...process.argv];", "names process"],
      ["domain/pet.ts", "const x = global;", "names global"],
      ["domain/pet.ts", "setTimeout(x, 1);", "names setTimeout"],
      ["domain/pet.ts", 'console.log("x");', "names console"],
      ["domain/pet.ts", "const x = import.meta.url;", "names import.meta"],
      ["domain/pet.ts", 'const x = new Intl.Collator("de");', "names Intl"],
      ["domain/pet.ts", "@injectable() class A {}", "carries a decorator"],
      [APPLICATION, "class A { constructor(@inject(X) x: X) {} }", "carries a decorator"],
      ["adapters/http/app.ts", "const x = process.env.PETSTORE_PORT;", "reads the environment"],
      ["settings/settings.ts", "const x = process.env;", "reads the environment"],
      ["adapters/sqlite/x.ts", "const start = Date.now();", "measures by a clock that can jump"],
    ];
    for (const [file, source, breach] of PLANTED) {
      it(`${file}: ${source.replace(/\s+/g, " ") || "an empty file"}`, () => {
        expect(breaches({ [file]: source })).to.include(`${file}: ${breach}`);
      });
    }
  });

  it("accepts code that only looks like a violation", () => {
    const source = `
      // import "pino"; process.env; @decorated
      /* require("pino"); Date.now() */
      const text = "import 'pino'"; const other = 'from "pino"';
      const template = \`import "pino" \${text.length} Date\`;
      const regex = /import "pino"; Date/u;
      const from = order.from; order.import("pino"); order.process(); Math.max(1, 2);
      function add(created: Date, expires: null | Date, last: Date | null) {}
      import type { Pet } from "../domain/pet.js";`;
    expect(breaches({ "application/get-pet.ts": source })).to.deep.equal([]);
  });
});
