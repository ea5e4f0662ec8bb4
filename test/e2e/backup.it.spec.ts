import { execFile } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { type Program, startProgram } from "../support/start-program.js";
import { needTools } from "../support/tool.js";

const SETTINGS = { PETSTORE_STORAGE: "sqlite:petstore.db", PETSTORE_KEYS_FILE: "keys.json" };

describe("a service, backed up and restored by the scripts of deploy/", () => {
  const data = inEmptyFolder();
  const inside = inEmptyFolder();
  /** Its name ends as those of the backups do. */
  const backups = () => join(inside(), "Z");
  beforeEach(() => mkdirSync(backups()));

  needTools("the backup", "sqlite3");
  function start(): Promise<Program> {
    return startProgram({ cwd: data(), env: SETTINGS });
  }

  async function create(program: Program, name: string): Promise<number> {
    const { status, text } = await post(program, JSON.stringify({ name, categoryId: 1 }));
    expect(status).to.equal(201);
    return JSON.parse(text).id;
  }

  /** Runs a script of deploy/ in the test's folders, on a machine without systemd. */
  function run(script: string, args: string[] = [], settings = {}, before = ""): Promise<{ stdout: string }> {
    const text = readFileSync(join("deploy", script), "utf8")
      .replaceAll("/var/lib/petstore", data())
      .replaceAll("/var/backups/petstore", backups())
      .replaceAll("/etc/petstore/petstore.env", join(data(), "petstore.env"))
      .replaceAll("/run/systemd/system", join(data(), "no-systemd"));
    const env = { PATH: process.env.PATH, ...SETTINGS, ...settings };
    const set = Object.entries({ ...SETTINGS, ...settings }).filter(([, value]) => value !== undefined);
    const lines = set.map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(data(), "petstore.env"), lines.join(""));
    // Not synchronously, since creates go on in this process.
    return promisify(execFile)("bash", ["--norc", "-c", `${before}\n${text}`, script, ...args], {
      cwd: data(),
      env,
    });
  }
  const newest = () => join(backups(), readdirSync(backups()).at(-1) ?? "");

  it("has every pet, even while clients create others, and can be restored", async () => {
    let program = await start();
    const before = await Promise.all(Array.from({ length: 50 }, (_, n) => create(program, `before ${n}`)));
    let creating = true;
    const creates = (async () => {
      while (creating) await create(program, "meanwhile");
    })();
    const backup = await run("petstore-backup");
    creating = false;
    await creates;
    expect(backup.stdout).to.match(/Z has keys, settings and \d\d+ pets\n$/);
    const [folder = ""] = readdirSync(backups());
    expect(readdirSync(join(backups(), folder))).to.deep.equal(["keys.json", "petstore.db", "petstore.env"]);
    const after = await create(program, "after");

    await program.stop();
    rmSync(join(data(), "keys.json"));
    // As the service's user could, for the root who restores.
    const other = join(data(), "other");
    writeFileSync(other, "kept");
    for (const name of ["petstore.db.made", "keys.json.made"]) {
      rmSync(join(data(), name), { force: true });
      symlinkSync(other, join(data(), name));
    }
    await run("petstore-restore", [newest(), "keys", "pets"]);
    expect(readFileSync(other, "utf8")).to.equal("kept");
    expect(readdirSync(data()).filter((name) => name.startsWith("petstore.db.before-"))).to.have.length(1);
    expect(readdirSync(data()).filter((name) => name.endsWith(".restoring"))).to.deep.equal([]);
    program = await start();
    const pets = (await allPets(program)).map((pet) => JSON.parse(pet));
    expect(pets.map(({ id }) => id)).to.include.members(before);
    expect(pets.map(({ id }) => id)).not.to.include(after);
    expect(pets.every(({ name }) => name !== "after")).to.equal(true);
    expect(await create(program, "again")).to.be.greaterThan(Math.max(...before));
  });

  it("fails and leaves nothing if it is wrong or does not fit; the last good one stays", async () => {
    const program = await start();
    await create(program, "kept");
    await program.stop();
    mkdirSync(join(backups(), "unfinished"));
    await run("petstore-backup");
    const good = readdirSync(backups());
    expect(good).to.have.length(1);
    const size = statSync(join(data(), "petstore.db")).size;
    writeFileSync(join(data(), "empty.db"), "");
    writeFileSync(join(data(), "damaged.db"), readFileSync(join(data(), "petstore.db")).fill(1, size / 2));
    for (const [what, before, storage, words] of [
      ["no room", "df() { echo 1000; }", "petstore.db", /make room/],
      ["a disk that is full meanwhile", "trap '' XFSZ; ulimit -f 8", "petstore.db", /disk|File size|full/],
      ["an end by a signal", "sync() { kill -TERM $$; }", "petstore.db", /^$/],
      ["an empty file", "", "empty.db", /no such table: pets/],
      ["no file", "", "missing.db", /No such file/],
      ["a damaged file", "", "damaged.db", /malformed/],
    ] as const) {
      const settings = { PETSTORE_STORAGE: `sqlite:${storage}` };
      const { code, stderr } = await run("petstore-backup", [], settings, before).catch((error) => error);
      expect(code, what).to.be.greaterThan(0);
      expect(stderr, what).to.match(words);
      expect(readdirSync(backups()), what).to.deep.equal(good);
    }
  });

  it("is not restored unless it is sound, and then nothing has changed", async () => {
    const program = await start();
    await create(program, "kept");
    await program.stop();
    await run("petstore-backup");
    const before = readdirSync(data());
    const copy = join(newest(), "petstore.db");
    const sound = readFileSync(copy);
    for (const [part, bytes, words] of [
      ["pets", sound.subarray(0, sound.length - 4096), /no sound database/],
      ["pets", Buffer.from("no database"), /no sound database/],
      ["photos", sound, /photos is none of: keys, pets, settings/],
    ] as const) {
      writeFileSync(copy, bytes);
      const { code, stderr } = await run("petstore-restore", [newest(), "keys", part]).catch(
        (error) => error,
      );
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
      expect(readdirSync(data())).to.deep.equal(before);
    }
    expect(await allPets(await start())).to.have.length(1);
  });

  it("finds the log of a database behind a link, and puts the pets back to the end of the link", async () => {
    const volume = join(data(), "volume");
    mkdirSync(volume);
    symlinkSync("volume/petstore.db", join(data(), "petstore.db"));
    const program = await start();
    await create(program, "kept");
    // Beside the link there is none.
    await run("petstore-backup", [], {}, "systemctl() { true; }");
    await program.stop();
    await run("petstore-restore", [newest(), "pets"]);
    expect(lstatSync(join(data(), "petstore.db")).isSymbolicLink()).to.equal(true);
    expect(readdirSync(volume).filter((name) => name.startsWith("petstore.db.before-"))).to.have.length(1);
    expect(await allPets(await start())).to.have.length(1);
  });

  it("finds keys and pets where they are without settings", async () => {
    const unset = { PETSTORE_STORAGE: undefined, PETSTORE_KEYS_FILE: undefined };
    // As systemd does it: what the settings name wins.
    const unit = readFileSync(join("deploy", "petstore-backup.service"), "utf8");
    const defaults = Object.fromEntries(
      Array.from(unit.matchAll(/(PETSTORE_\w+)=(\S+)/g), ([, name, value]) => [name, value]),
    );
    const program = await startProgram({ cwd: data() });
    await create(program, "kept");
    await run("petstore-backup", [], defaults);
    await program.stop();
    rmSync(join(data(), "data"), { recursive: true });
    mkdirSync(join(data(), "data"));
    await run("petstore-restore", [newest(), "keys", "pets"], unset);
    expect(await allPets(await startProgram({ cwd: data() }))).to.have.length(1);
  });

  it("has no pets on another storage, and says so; the newest 14 are kept, the new one always", async () => {
    writeFileSync(join(data(), "keys.json"), "{}");
    const make = (year: number) => {
      for (let day = 10; day < 30; day++) mkdirSync(join(backups(), `${year}-01-${day}T000000Z`));
    };
    const onMongodb = { PETSTORE_STORAGE: "mongodb://localhost/pets" };
    make(2026);
    const { stdout } = await run("petstore-backup", [], onMongodb);
    expect(stdout).to.match(/Z has keys and settings, but no pets: back the database up/);
    const names = readdirSync(backups());
    expect([names.length, names[0]]).to.deep.equal([14, "2026-01-17T000000Z"]);
    expect(readdirSync(newest())).to.deep.equal(["keys.json", "petstore.env"]);
    // By a clock that was wrong once. Two backups of one second would have one name.
    renameSync(newest(), join(backups(), "2026-02-01T000000Z"));
    make(2199);
    const {
      code,
      stdout: made,
      stderr,
    } = await run("petstore-backup", [], onMongodb).catch((error) => error);
    expect(code).to.equal(1);
    expect(stderr).to.match(/whole, but these have a later date.*2199-01-29T000000Z/s);
    expect(readdirSync(backups())).to.include(/(20[\w-]+Z) has/.exec(made)?.[1]);
    expect(readdirSync(backups())).to.have.length(14);
  });
});
