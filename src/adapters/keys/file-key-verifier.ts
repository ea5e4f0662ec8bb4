import { timingSafeEqual } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import type { Logger } from "pino";
import { type AcceptedKey, KEY_FORM, type KeyVerifier } from "../../application/ports/key-verifier.js";
import { digestOf } from "./api-key.js";
import { type KeyRecord, readKeysFile } from "./keys-file.js";

/** How often the file is looked at, in milliseconds: a change counts within two seconds. */
const LOOK_INTERVAL = 500;

interface KnownKey extends AcceptedKey {
  readonly digest: Buffer;
  /** Milliseconds since the epoch; Infinity where the key does not expire. */
  readonly expires: number;
}

/** Knows the keys whose digests are in a file, and one more key that may be given at start. */
export class FileKeyVerifier implements KeyVerifier {
  private known: readonly KnownKey[] = [];
  private loads = 0;

  private constructor(
    private readonly path: string,
    private readonly extra: readonly KnownKey[],
    private readonly log: Logger,
  ) {}

  /**
   * Reads the file, and reads it again whenever it changes, until `close`.
   *
   * @throws Error that says how to mend the file.
   */
  static async open(path: string, extraKey: string | undefined, log: Logger): Promise<FileKeyVerifier> {
    const extra = extraKey === undefined ? [] : [knownKey("PETSTORE_API_KEY", digestOf(extraKey), null)];
    const verifier = new FileKeyVerifier(path, extra, log);
    await verifier.load();
    watchFile(path, { interval: LOOK_INTERVAL, persistent: false }, verifier.reload);
    try {
      // Again: what changed before it was watched would go unnoticed.
      await verifier.load();
    } catch (error) {
      verifier.close();
      throw error;
    }
    return verifier;
  }

  verify(secret: string): AcceptedKey | undefined {
    if (!KEY_FORM.test(secret)) return undefined;
    const digest = digestOf(secret);
    let match: KnownKey | undefined;
    // Every key is compared, each in constant time: how long it takes tells nothing about which one was near.
    for (const key of this.known) if (timingSafeEqual(key.digest, digest)) match = key;
    return match && match.expires > Date.now() ? match : undefined;
  }

  stillAccepts(key: AcceptedKey): boolean {
    return this.known.includes(key as KnownKey) && (key as KnownKey).expires > Date.now();
  }

  close(): void {
    unwatchFile(this.path, this.reload);
  }

  private async load(): Promise<void> {
    this.loads += 1;
    const load = this.loads;
    const records = await readKeysFile(this.path);
    // What was read before the file changed once more may hold a key that is revoked by now.
    if (load !== this.loads) return;
    this.known = [...records.map(fromRecord), ...this.extra];
  }

  private readonly reload = (): void => {
    this.load().then(
      () => this.log.info({ keys: this.known.length }, "keys read again"),
      // Keys that were good stay good: a damaged file must not lock everybody out.
      (err) => this.log.error({ err }, "keys not read again; those known before stay in force"),
    );
  };
}

function fromRecord({ name, sha256, expires }: KeyRecord): KnownKey {
  return knownKey(name, Buffer.from(sha256, "hex"), expires);
}

function knownKey(name: string, digest: Buffer, expires: string | null): KnownKey {
  return {
    name,
    id: digest.toString("base64url"),
    digest,
    expires: expires ? Date.parse(expires) : Infinity,
  };
}
