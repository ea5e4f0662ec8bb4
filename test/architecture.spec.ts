import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { expect } from "chai";

/** Source text by path below `src`, with slashes. */
type Files = Readonly<Record<string, string>>;

const NODE = "node:.+";
const PACKAGE = "(?!node:)@?[a-z][^.]*(?:\\.js)?";
const CORE = ["domain/.+", "application/.+"];

/** The imports that each layer allows, types included. The first row that matches a file counts; $1 is its group. */
const LAYERS: readonly (readonly [files: RegExp, imports: readonly string[]])[] = [
  [/^domain\//, ["domain/.+"]],
  [/^application\//, CORE],
  [/^storage-kit\//, [...CORE, "storage-kit/.+", NODE]],
  [/^adapters\/([^/]+)\//, [...CORE, "adapters/$1/.+", NODE, PACKAGE]],
  [/^settings\.ts$/, [PACKAGE]],
  [/^storages\.ts$/, [...CORE, "adapters/[^/]+/[^/]+-adapter\\.ts", "settings\\.ts", NODE]],
  [/^container\.ts$/, [...CORE, "adapters/.+", "settings\\.ts", PACKAGE]],
  [
    /^commands\//,
    [...CORE, "(?:adapters|commands|storage-kit)/.+", "(?:container|settings|storages)\\.ts", NODE, PACKAGE],
  ],
  [/^main\.ts$/, ["adapters/.+", "[^/]+/[^/]+\\.ts", "[^/]+\\.ts", NODE]],
];

/** Packages that only one place may import, so that they can be replaced there. */
const HOMES: Readonly<Record<string, string>> = {
  tsyringe: "container.ts",
  "reflect-metadata": "container.ts",
  mongodb: "adapters/mongodb/",
  "@photostructure/sqlite": "adapters/sqlite/",
  koa: "adapters/http/",
  "prom-client": "adapters/metrics/",
  commander: "commands/",
};

/** Words that only some files may contain: the core reads no clock, environment or random source except through a port. */
const WORDS: readonly (readonly [word: RegExp, files: RegExp])[] = [
  [
    /\b(?:Date|performance|Math\.random|crypto|process|console|fetch|set(?:Timeout|Interval|Immediate))\b/,
    /^(?!domain|application)/,
  ],
  [/^\s*@\w/m, /^(?!domain|application)/],
  [/\bprocess\.env\b/, /^main\.ts$|^commands\/|^storage-kit\//],
  [/\b(?:memory|sqlite|mongodb)\b/, /^(?:settings|storages)\.ts$|^adapters\/(?:memory|sqlite|mongodb)\//],
];

function breaches(files: Files): string[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const [layer = /^$/, allowed = []] = LAYERS.find(([layer]) => layer.test(file)) ?? [];
    const own = layer.exec(file)?.[1] ?? "";
    const rule = new RegExp(`^(?:${allowed.join("|").replace("$1", own)})$`);
    const imports = importsOf(file, source);
    const foreign = imports.filter(
      (name) => !rule.test(name) || (HOMES[name] !== undefined && !file.startsWith(HOMES[name])),
    );
    const code = withoutComments(source).replace(/^import [^;]*;$/gm, "");
    const words = WORDS.filter(([word, allowed]) => word.test(code) && !allowed.test(file));
    return [
      ...foreign.map((name) => `${file} imports ${name}`),
      ...words.map(([word]) => `${file} holds ${word.exec(code)?.[0].trim()}`),
      ...(reachedFrom(file, files).has(file) ? [`${file} imports itself, perhaps through others`] : []),
    ];
  });
}

/** Returns the modules that a file imports: paths below `src`, or names of packages. */
function importsOf(file: string, source: string): string[] {
  const pattern =
    /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"/gm;
  return [...withoutComments(source).matchAll(pattern)].map((match) => {
    const name = (match[1] ?? match[2] ?? match[3]) as string;
    return name.startsWith(".") ? posix.join(posix.dirname(file), name).replace(/\.js$/, ".ts") : name;
  });
}

function withoutComments(source: string): string {
  return source.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, "");
}

function reachedFrom(start: string, files: Files): Set<string> {
  const reached = new Set<string>();
  const next = [start];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    for (const name of importsOf(file, files[file] ?? "")) {
      if (!reached.has(name)) next.push(name);
      reached.add(name);
    }
  }
  return reached;
}

function readSource(): Files {
  const root = join(import.meta.dirname, "../../src");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  return Object.fromEntries(
    paths.map((path) => [path.split(sep).join("/"), readFileSync(join(root, path), "utf8")]),
  );
}

describe("The architecture", () => {
  const files = readSource();

  it("keeps the layer rules", () => {
    expect(breaches(files)).to.deep.equal([]);
  });

  // Each rule, which finds nothing in the source, must find a planted breach.
  for (const [file, source, breach] of [
    ["domain/pet.ts", 'import "../application/get-pet.js";', "imports application/get-pet.ts"],
    ["domain/pet.ts", "const now = Date.now();", "holds Date"],
    ["application/get-pet.ts", 'import type {\n  A,\n} from "pino";', "imports pino"],
    ["application/get-pet.ts", "@injectable()\nclass A {}", "holds @i"],
    ["adapters/http/x.ts", 'import "../../storage-kit/index.js";', "imports storage-kit/index.ts"],
    ["adapters/http/x.ts", "const x = process.env.X;", "holds process.env"],
    ["adapters/guard/x.ts", 'const scheme = "mongodb";', "holds mongodb"],
    ["storage-kit/x.ts", 'import "mocha";', "imports mocha"],
    ["settings.ts", 'import "./container.js";', "imports container.ts"],
    ["container.ts", 'import "./main.js";', "imports main.ts"],
    ["main.ts", 'import "tsyringe";', "imports tsyringe"],
    ["helpers/x.ts", 'import "../domain/pet.js";', "imports domain/pet.ts"],
  ] as const) {
    it(`may not contain ${file}: ${source.replace(/\s+/g, " ")}`, () => {
      expect(breaches({ [file]: source })).to.deep.include(`${file} ${breach}`);
    });
  }

  it("may not contain a circle of imports", () => {
    const circle = { "domain/x.ts": 'import "./y.js";', "domain/y.ts": 'export * from "./x.js";' };
    expect(breaches(circle)).to.have.length(2);
  });
});
