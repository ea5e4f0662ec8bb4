import { existsSync } from "node:fs";
import { makeApiKey } from "./api-key.js";
import { changeKeysFile, fileAt, refuseGone } from "./change-keys-file.js";
import { NO_LINK } from "./file-lock.js";
import { type KeyRecord, keyRecord, readKeysFile } from "./keys-file.js";

/** Manages the keys in the file that `FileKeyVerifier` reads. */
export class FileKeyStore {
  /**
   * @param place the path of the file
   * @param mayMake whether `add` may make the file where none has ever been
   */
  constructor(
    readonly place: string,
    private readonly mayMake: boolean,
  ) {}

  async add(name: string, expires: string | null): Promise<ReturnType<typeof describe> & { secret: string }> {
    await refuseGone(this.place);
    if (!this.mayMake && !existsSync(this.place)) {
      throw new Error(
        `There is no keys file ${this.place}, and there has been none; set PETSTORE_KEYS_FILE to the service's keys file, or to the one that this command shall make.`,
      );
    }
    const secret = makeApiKey();
    const record = keyRecord(name, secret, expires);
    await changeKeysFile(this.place, (keys) => {
      if (keys.some((key) => key.name === name)) {
        throw new Error(`There is a key named ${name}; revoke it first, or choose another name.`);
      }
      return [...keys, record];
    });
    return { ...describe(record), secret };
  }

  async list(): Promise<ReturnType<typeof describe>[]> {
    return (await readKeysFile(await fileAt(this.place), NO_LINK)).map(describe);
  }

  async revoke(name: string): Promise<void> {
    // Where no file is, this must not make one.
    await readKeysFile(this.place);
    await changeKeysFile(this.place, (keys) => {
      const others = keys.filter((key) => key.name !== name);
      if (others.length === keys.length) {
        throw new Error(`No key is named ${name}; petstore keys list shows those there are.`);
      }
      return others;
    });
  }
}

function describe({ name, created, expires }: KeyRecord) {
  return { name, created, expires };
}
