import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Disk, type Row } from "./disk.js";
import { SimplePets } from "./simple-pets.js";

/**
 * A simple storage in a file: a line of JSON for each pet, all read at the start. Tests plant bugs into its
 * steps.
 */
export class FilePets extends SimplePets {
  /** The process is gone: its unwritten lines are lost. */
  dead = false;

  constructor(protected readonly path: string) {
    super(new Disk());
    const lines = existsSync(path) ? this.split(this.readFile()) : [];
    for (const line of lines) this.readLine(line);
  }

  deletePet(id: bigint): void {
    this.disk.rows = this.disk.rows.filter((row) => row.id !== id);
    this.append(JSON.stringify({ gone: `${id}` }));
  }

  protected override insert(row: Row): void {
    super.insert(row);
    this.append(this.encode(row));
  }

  protected readLine(line: string): void {
    const { gone, ...row } = this.decode(line);
    if (gone === undefined) {
      this.disk.rows.push(row as Row);
      this.raise(row.id);
    } else {
      this.disk.rows = this.disk.rows.filter(({ id }) => id !== gone);
    }
  }

  protected append(line: string): void {
    // A bug may write after the test is over and its folder gone.
    if (!this.dead && existsSync(dirname(this.path))) appendFileSync(this.path, `${line}\n`);
  }

  protected rewrite(): void {
    if (!this.dead) writeFileSync(this.path, this.disk.rows.map((row) => `${this.encode(row)}\n`).join(""));
  }

  protected readFile(): string {
    return readFileSync(this.path, "utf8");
  }

  protected split(text: string): string[] {
    return text.split("\n").filter((line) => line !== "");
  }

  protected encode(row: Row): string {
    return JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? `${value}` : value));
  }

  protected decode(line: string): Row & { gone?: bigint } {
    const { id, categoryId, gone, ...rest } = JSON.parse(line);
    if (gone !== undefined) return { gone: BigInt(gone) } as Row & { gone: bigint };
    return { id: BigInt(id), categoryId: BigInt(categoryId), ...rest };
  }
}
