import { constants, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { storageUnavailable } from "petstore/storage";

/** @import { Pet, Storage, StorageAdapter } from "petstore/storage" */

/** @type {StorageAdapter} The service reads this before it opens a storage. */
export default {
  api: 2,
  schemes: ["file"],
  form: "file:PATH",
  shared: false, // A second process would not see the pets of the first.
  durable: true,
  check: (url) => (url === "file:" ? "must name a file, e.g. file:./data/pets.jsonl" : undefined),
  open: (url, { mayMake }) => openStorage(url.slice("file:".length), mayMake),
};

/** @returns {Promise<Storage>} Pets in memory, and in a file with one line for each. */
async function openStorage(/** @type {string} */ path, /** @type {boolean} */ mayMake) {
  const file = await openLines(path, mayMake);
  /** Each list in order of id. The pets are frozen, so that they may be handed out. @type {Record<string, Pet[]>} */
  const pets = { any: [], available: [], pending: [], sold: [] };
  /** The first create under each key, stored or about to be. @type {Map<string, [string, Promise<Pet>]>} */
  const records = new Map();
  let lastId = 0n;

  function keep(/** @type {Pet} */ pet) {
    for (const list of ["any", pet.status]) pets[list].push(Object.freeze(pet));
    return pet;
  }

  for (const [index, line] of file.lines.entries()) {
    if (!/^\[".*\]$/s.test(line)) {
      throw new Error(`Line ${index + 1} of ${path} is not a valid pet; remove it and restart.`);
    }
    const [id, name, categoryId, status, key, fingerprint] = JSON.parse(line);
    const pet = keep({ id: BigInt(id), name, categoryId: BigInt(categoryId), status });
    if (key) records.set(key, [fingerprint, Promise.resolve(pet)]);
    lastId = pet.id;
  }

  return {
    pets: {
      async create({ name, categoryId, status }, record) {
        // Read now: the caller may change its objects before the pet is stored.
        const { key = "", fingerprint = "" } = record ?? {};
        const earlier = records.get(key);
        if (earlier) return { pet: await earlier[1], earlierFingerprint: earlier[0] };
        const pet = { id: ++lastId, name, categoryId, status };
        // Integers go as text, or JSON.parse would round them. Pet and record share a line: both are stored, or none.
        const line = JSON.stringify([`${pet.id}`, name, `${categoryId}`, status, key, fingerprint]);
        const stored = file.append(`${line}\n`).then(() => keep(pet));
        if (key) records.set(key, [fingerprint, stored]);
        stored.catch(() => records.delete(key));
        return { pet: await stored, earlierFingerprint: undefined };
      },
      get: async (id) => page(pets.any, id - 1n, 1).find((pet) => pet.id === id),
      list: async ({ status = "any", after, limit }) => page(pets[status], after, limit),
    },
    ping: () => file.append(""),
    close: () => file.close(),
  };
}

/** Returns the first pets above an id, by a binary search. */
function page(/** @type {Pet[]} */ list, /** @type {bigint} */ after, /** @type {number} */ limit) {
  let [start, end] = [0, list.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (list[middle].id > after) end = middle;
    else start = middle + 1;
  }
  return list.slice(start, start + limit);
}

/** Opens a file of lines. If `append` resolves, the line is on the disk; if it rejects, the file does not contain it. */
async function openLines(/** @type {string} */ path, /** @type {boolean} */ mayMake) {
  if (mayMake) await mkdir(dirname(path), { recursive: true });
  const file = await open(path, mayMake ? "a+" : constants.O_RDWR | constants.O_APPEND, 0o600);
  // Otherwise a power cut can take the name of a new file away.
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
  // If the process died while it wrote, the last line has no end, and its create got no response.
  const [text = ""] = /^(.*\n)?/s.exec(await file.readFile("utf8")) ?? [];
  let size = Buffer.byteLength(text);
  let lastWrite = Promise.resolve();

  async function write(/** @type {string} */ line) {
    await file.truncate(size); // Cuts off the rest of a failed write.
    await file.appendFile(line);
    await file.datasync();
    size += Buffer.byteLength(line);
  }

  return {
    lines: text.split("\n").filter(Boolean),
    append(/** @type {string} */ line) {
      lastWrite = lastWrite.catch(() => {}).then(() => write(line));
      return lastWrite.catch((error) => Promise.reject(storageUnavailable(error)));
    },
    close: () => lastWrite.catch(() => {}).then(() => file.close()),
  };
}
