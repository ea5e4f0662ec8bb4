import { writeModule } from "../support/outside-storage.js";

const MEMORY = JSON.stringify(import.meta.resolve("../../src/adapters/memory/memory-pet-repository.js"));

/** Writes the storage with this source, and the scheme `planted`, into a folder; gives the path of its module. */
export function plantStorage(folder: string, source: string): string {
  return writeModule(
    folder,
    "planted.mjs",
    `import { MemoryPetRepository } from ${MEMORY};
     ${source}
     export default {
       api: 1,
       schemes: ["planted"],
       form: "planted:PATH",
       shared: false,
       durable: true,
       check: () => undefined,
       open: (url) => open(url.slice("planted:".length)),
     };`,
  );
}

/** A file with one line for each create, read again in the same order, which gives each pet its id again. */
const FILE = (write: string) => `
  import { appendFileSync, existsSync, readFileSync } from "node:fs";
  const encode = (value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part + "n" : part));
  const decode = (text) =>
    JSON.parse(text, (_, part) => (/^-?\\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part));
  async function open(path) {
    const pets = new MemoryPetRepository();
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\\n").filter(Boolean) : [];
    for (const line of lines) await pets.create(...decode(line));
    const create = pets.create.bind(pets);
    pets.create = async (pet, record) => {
      const created = await create(pet, record);
      const write = () => appendFileSync(path, encode(record ? [pet, record] : [pet]) + "\\n");
      if (created.replayed === undefined) ${write};
      return created;
    };
    return pets;
  }`;

/** A storage without a bug. */
export const SOUND = FILE("write()");

export const ACKNOWLEDGES_BEFORE_COMMIT = FILE("setTimeout(write, 500)");

/** One id in a thousand, from the 50th on, is not in lists. */
export const DROPS_ONE_ID_IN_A_THOUSAND = `
  async function open() {
    const pets = new MemoryPetRepository();
    const list = pets.list.bind(pets);
    pets.list = async (range) => (await list(range)).filter(({ id }) => id % 1000n !== 50n);
    return pets;
  }`;

/** Opens a file for each connection that a client resets, and keeps it open. */
export const LEAKS_A_DESCRIPTOR_PER_RESET = `
  import { subscribe } from "node:diagnostics_channel";
  import { openSync } from "node:fs";
  subscribe("net.server.socket", ({ socket }) => {
    socket.once("close", (failed) => failed && openSync("/dev/null"));
  });
  const open = async () => new MemoryPetRepository();`;
