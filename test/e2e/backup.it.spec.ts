import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { needTools } from "../support/left-out.js";
import { type Program, startProgram } from "../support/start-program.js";

const PETSTORE_API_KEY = "petstore_key-of-the-backup-test";
const headers = { Authorization: `Bearer ${PETSTORE_API_KEY}`, "Content-Type": "application/json" };

/** The unit passes the defaults of the program to the backup if the operator sets nothing. */
const UNIT = readFileSync("deploy/petstore-backup.service", "utf8");
const DEFAULTS = Object.fromEntries(
  Array.from(UNIT.matchAll(/(PETSTORE_\w+)=(\S+)/g), ([, name, value]) => [name, value]),
);

describe("petstore-backup and petstore-restore", () => {
  const data = inEmptyFolder();
  const backups = inEmptyFolder();
  const newest = () => join(backups(), readdirSync(backups()).at(-1) ?? "");

  needTools("backups", "sqlite3");

  /** Runs a script of deploy/ on the test's folders, as on a machine without systemd, after the lines `before`. */
  async function run(script: string, args: string[] = [], settings = {}, before = "") {
    const text = readFileSync(join("deploy", script), "utf8")
      .replaceAll("/usr/lib/petstore", `"$DEPLOY"`)
      .replaceAll("/var/lib/petstore", data())
      .replaceAll("/var/backups/petstore", backups())
      .replaceAll("/etc/petstore", data())
      .replaceAll("/run/systemd/system", join(data(), "no-systemd"));
    const options = {
      cwd: data(),
      env: { PATH: process.env.PATH, DEPLOY: resolve("deploy"), ...DEFAULTS, ...settings },
    };
    const bash = ["--norc", "-c", `${before}\n${text}`, script, ...args];
    return promisify(execFile)("bash", bash, options).catch((error) => error);
  }

  async function create({ origin }: Program, name: string): Promise<string> {
    const body = JSON.stringify({ name, categoryId: 1 });
    const response = await fetch(`${origin}/v1/pets`, { method: "POST", headers, body });
    expect(response.status).to.equal(201);
    return name;
  }

  /** Another process creates the database: in this one a -wal would stay until a garbage collection. */
  async function backUpOne(): Promise<void> {
    const program = await startProgram({ cwd: data(), env: { PETSTORE_API_KEY } });
    await create(program, "kept");
    await program.stop();
    for (const file of ["data/keys.json", "petstore.env"]) writeFileSync(join(data(), file), "");
    await run("petstore-backup");
    expect(readdirSync(backups())).to.have.length(1);
  }

  it("keep every pet while clients create others, also where the database is a symlink", async () => {
    mkdirSync(join(data(), "data"));
    mkdirSync(join(data(), "volume"));
    symlinkSync("../volume/petstore.db", join(data(), "data/petstore.db"));
    const program = await startProgram({ cwd: data(), env: { PETSTORE_API_KEY } });
    const before = await Promise.all(Array.from({ length: 50 }, (_, n) => create(program, `before ${n}`)));
    let creating = true;
    const creates = (async () => {
      while (creating) await create(program, "meanwhile");
    })();
    const { stdout } = await run("petstore-backup");
    creating = false;
    await creates;
    expect(stdout).to.match(/Z has keys, settings and \d\d+ pets\n$/);
    expect(readdirSync(newest())).to.deep.equal(["keys.json", "petstore.db"]);
    await create(program, "after");
    await program.stop();

    writeFileSync(join(data(), "petstore.env"), "");
    const result = await run("petstore-restore", [newest(), "keys", "pets"]);
    expect(result.code, result.stderr).to.equal(undefined);
    const left = ["data", "volume"].flatMap((folder) => readdirSync(join(data(), folder))).join(" ");
    expect(left)
      .to.match(/keys.json.before-\S+Z .* petstore.db.before-\S+Z/)
      .and.not.include(".new");
    const names = ["data/petstore.db", "SELECT name FROM pets"];
    const restored = (await promisify(execFile)("sqlite3", names, { cwd: data() })).stdout.split("\n");
    expect(restored).to.include.members(before).and.not.include("after");
  });

  it("leave nothing of a backup that fails, and keep the previous one", async () => {
    mkdirSync(join(backups(), "unfinished"));
    await backUpOne();
    const good = readdirSync(backups());
    const intact = readFileSync(join(data(), "data/petstore.db"));
    writeFileSync(join(data(), "empty.db"), "");
    writeFileSync(join(data(), "damaged.db"), intact.fill(1, intact.length / 2));
    for (const [file, before, message] of [
      ["data/petstore.db", "df() { echo 10M; }", /10 MiB free, a backup needs 16/],
      ["data/petstore.db", "trap '' XFSZ; ulimit -f 8", /disk|File size|full/],
      ["data/petstore.db", "sync() { kill -TERM $$; }", /^$/],
      ["empty.db", "", /no such table: pets/],
      ["missing.db", "", /No such file/],
      ["damaged.db", "", /malformed/],
    ] as const) {
      const settings = { PETSTORE_STORAGE: `sqlite:${file}` };
      const { code, stderr } = await run("petstore-backup", [], settings, before);
      expect(code, `${file} ${before}`).not.to.equal(undefined);
      expect(stderr).to.match(message);
      expect(readdirSync(backups()), `${file} ${before}`).to.deep.equal(good);
    }
  });

  it("change nothing if a part of the backup is not intact", async () => {
    await backUpOne();
    const files = () => readdirSync(data(), { recursive: true });
    const before = files();
    const database = readFileSync(join(data(), "data/petstore.db"));
    const copy = join(newest(), "petstore.db");
    const intact = readFileSync(copy);
    for (const [part, bytes, message] of [
      ["pets", intact.subarray(0, intact.length - 4096), /not an intact database/],
      ["pets", Buffer.from("no database"), /not an intact database/],
      ["photos", intact, /photos/],
    ] as const) {
      writeFileSync(copy, bytes);
      const { code, stderr } = await run("petstore-restore", [newest(), "keys", part]);
      expect(code).to.equal(1);
      expect(stderr).to.match(message);
      expect(files()).to.deep.equal(before);
      expect(readFileSync(join(data(), "data/petstore.db")).equals(database)).to.equal(true);
    }
  });

  it("save the pets where there is no keys file yet", async () => {
    await backUpOne();
    rmSync(join(data(), "data/keys.json"));
    for (const backup of readdirSync(backups())) rmSync(join(backups(), backup), { recursive: true });
    const { stdout } = await run("petstore-backup");
    expect(stdout).to.include("no keys").and.include("1 pets");
    expect(readdirSync(newest())).to.deep.equal(["petstore.db", "petstore.env"]);
  });

  it("contain no pets of another storage, and keep the newest 14 and the new one", async () => {
    writeFileSync(join(data(), "keys.json"), "{}");
    for (const year of [2020, 2199]) {
      for (let day = 10; day < 30; day++) mkdirSync(join(backups(), `${year}-01-${day}T000000Z`));
    }
    const settings = { PETSTORE_STORAGE: "mongodb://localhost/pets", PETSTORE_KEYS_FILE: "keys.json" };
    const { stdout } = await run("petstore-backup", [], settings);
    const [, made = ""] = /([^/]+Z) has keys and settings, no pets: back up the database/.exec(stdout) ?? [];
    const [first, second] = readdirSync(backups());
    expect([first, second]).to.deep.equal([made, "2199-01-17T000000Z"]);
    expect(readdirSync(join(backups(), made))).to.deep.equal(["keys.json"]);
  });
});
