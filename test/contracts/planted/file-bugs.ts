import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Row } from "./disk.js";
import { FilePets } from "./file-pets.js";

interface FileBug {
  readonly what: string;
  /** The name of the case that must find the bug. */
  readonly foundBy: string;
  readonly storage: new (path: string) => FilePets;
}

const RESTART = "keeps everything over a restart";
const DEATH = "keeps everything over a death";

export const FILE_BUGS: readonly FileBug[] = [
  {
    what: "writes int64 as JSON numbers",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override encode(row: Row): string {
        return JSON.stringify({ ...row, id: Number(row.id), categoryId: Number(row.categoryId) });
      }
    },
  },
  {
    what: "writes Latin-1",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override append(line: string): void {
        if (!this.dead) appendFileSync(this.path, `${line}\n`, "latin1");
      }
      protected override readFile(): string {
        return readFileSync(this.path, "latin1");
      }
    },
  },
  {
    what: "writes names with no quotes around them",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override encode({ id, name, categoryId, status, key = "", fingerprint = "" }: Row): string {
        return [id, categoryId, status, key, fingerprint, name].join(",");
      }
      protected override decode(line: string): Row {
        const [id, categoryId, status, key, fingerprint, name] = line.split(",");
        return {
          id: BigInt(id as string),
          categoryId: BigInt(categoryId as string),
          status: status as Row["status"],
          name: (name as string).trim(),
          key: key || undefined,
          fingerprint: fingerprint || undefined,
        };
      }
    },
  },
  {
    what: "loses the last line as it opens",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override split(text: string): string[] {
        return text.split("\n").slice(0, -2);
      }
    },
  },
  {
    what: "begins a new file as it opens",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override readFile(): string {
        writeFileSync(this.path, "");
        return "";
      }
    },
  },
  {
    what: "forgets the status",
    foundBy: RESTART,
    storage: class extends FilePets {
      protected override decode(line: string): Row {
        return { ...super.decode(line), status: "available" };
      }
    },
  },
  {
    what: "does not write records",
    foundBy: "keeps records over a restart",
    storage: class extends FilePets {
      protected override encode({ key: _key, fingerprint: _fingerprint, ...row }: Row): string {
        return super.encode({ ...row, key: undefined, fingerprint: undefined });
      }
    },
  },
  {
    what: "counts ids from 1 as it opens",
    foundBy: "gives no id again after a restart",
    storage: class extends FilePets {
      private last = 0n;
      protected override async nextId(): Promise<bigint> {
        this.last += 1n;
        return this.last;
      }
    },
  },
  {
    what: "counts lines for the next id, and removes the lines of deleted pets",
    foundBy: "gives no id of a pet that is gone",
    storage: class extends FilePets {
      override deletePet(id: bigint): void {
        this.disk.rows = this.disk.rows.filter((row) => row.id !== id);
        this.rewrite();
      }
      protected override async nextId(): Promise<bigint> {
        return BigInt(this.disk.rows.length + 1);
      }
    },
  },
  {
    what: "writes a moment after it answered",
    foundBy: DEATH,
    storage: class extends FilePets {
      protected override append(line: string): void {
        setTimeout(() => super.append(line), 5);
      }
    },
  },
  {
    what: "writes as it closes",
    foundBy: DEATH,
    storage: class extends FilePets {
      protected override append(): void {}
      override async close(): Promise<void> {
        await super.close();
        this.rewrite();
      }
    },
  },
  {
    what: "writes creates that arrive together only after it answered them",
    foundBy: "finishes before it closes",
    storage: class extends FilePets {
      private readonly lines: string[] = [];
      protected override append(line: string): void {
        if (this.lines.push(line) === 1) setTimeout(() => this.flush(), 20);
      }
      private flush(): void {
        for (const line of this.lines.splice(0)) super.append(line);
      }
    },
  },
];
