import { timingSafeEqual } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { type AcceptedKey, KEY_FORM, type KeyVerifier } from "../../application/ports/key-verifier.js";
import type { StorageContext } from "../../application/ports/storage-adapter.js";
import { digestOf } from "./api-key.js";
import { type KeyRecord, readKeysFile } from "./keys-file.js";

/** How often the file is looked at, in milliseconds: a change counts within two seconds. */
const LOOK_INTERVAL = 500;

/** How often the log says that the file cannot be read, in milliseconds. */
const COMPLAINT_INTERVAL = 60_000;

/**
 * How long the last known keys stay in force while the file cannot be read, in milliseconds: long enough for somebody
 * to mend it, and bounded, since nobody can revoke a key meanwhile.
 */
export const GRACE = 60 * 60 * 1000;

/** How long the file may be unreadable before this instance is not ready, in milliseconds: it may just be replaced. */
const READY_GRACE = 5000;

const NO_ANSWER = "The disk does not answer.";

interface KnownKey extends AcceptedKey {
  readonly digest: Buffer;
  /** Milliseconds since the epoch; Infinity if the key does not expire. */
  readonly expires: number;
}

/** Knows the keys whose digests are in a file, and one more key that may be given at start. */
export class FileKeyVerifier implements KeyVerifier {
  private known: readonly KnownKey[] = [];
  /** Loads are numbered in the order in which they begin. */
  private begun = 0;
  private applied = 0;
  /** When the file became unreadable, by `performance.now()`; undefined if it is readable. */
  private unreadableSince: number | undefined;
  private complained = 0;
  /**
   * How many loads of the file are under way, and whether the file has changed while no further load was
   * allowed.
   */
  private loading = 0;
  private changed = false;
  private readonly retry: NodeJS.Timeout;

  private constructor(
    private readonly path: string,
    private readonly extra: readonly KnownKey[],
    private readonly log: StorageContext["log"],
  ) {
    // `watchFile` reports a change of the file; it does not report that the reason of a failure is gone.
    this.retry = setInterval(() => {
      if (this.unreadableSince !== undefined) this.reload();
    }, LOOK_INTERVAL).unref();
  }

  /**
   * Reads the file, and reads it again whenever it changes, until `close`.
   *
   * @throws Error that says how to mend the file.
   */
  static async open(
    path: string,
    extraKey: string | undefined,
    { log, addReading }: StorageContext,
  ): Promise<FileKeyVerifier> {
    const extra = extraKey === undefined ? [] : [knownKey("PETSTORE_API_KEY", digestOf(extraKey), null)];
    const verifier = new FileKeyVerifier(path, extra, log);
    try {
      await verifier.load();
      watchFile(path, { interval: LOOK_INTERVAL, persistent: false }, verifier.reload);
      // Again, for a change between the first reading and the start of the watch.
      await verifier.load();
      addReading({
        name: "petstore_keys_file_unreadable_seconds",
        help: "For how long the keys file has not been readable; 0 if it is. Nobody can revoke a key meanwhile.",
        type: "gauge",
        read: () => verifier.unreadableFor() / 1000,
      });
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
    // The loop compares every key, each in constant time, so that its time tells nothing about the known keys.
    for (const key of this.known) if (timingSafeEqual(key.digest, digest)) match = key;
    return match && match.expires > Date.now() ? match : undefined;
  }

  stillAccepts(key: AcceptedKey): boolean {
    return this.known.includes(key as KnownKey) && (key as KnownKey).expires > Date.now();
  }

  isCurrent(): boolean {
    return this.unreadableFor() < READY_GRACE;
  }

  /** For how many milliseconds the file has not been readable; 0 if it is. */
  private unreadableFor(): number {
    return this.unreadableSince === undefined ? 0 : performance.now() - this.unreadableSince;
  }

  close(): void {
    clearInterval(this.retry);
    unwatchFile(this.path, this.reload);
  }

  private async load(): Promise<void> {
    this.begun += 1;
    const load = this.begun;
    const records = await readKeysFile(this.path);
    // A load that began later has read newer keys: this one may hold a key that is revoked by now.
    if (load < this.applied) return;
    this.applied = load;
    this.known = [...records.map(fromRecord), ...this.extra];
  }

  /**
   * Runs at most two loads at once. On a disk that does not answer each takes one of four threads, and the log needs
   * one, too.
   */
  private readonly reload = (): void => {
    this.changed = this.loading === 2;
    if (this.changed) {
      if (this.unreadableSince !== undefined) this.endure(new Error(NO_ANSWER));
      return;
    }
    this.loading += 1;
    const late = setTimeout(() => this.endure(new Error(NO_ANSWER)), READY_GRACE).unref();
    this.load()
      .then(
        () => {
          this.unreadableSince = undefined;
          this.log.info({ keys: this.known.length }, "keys read again");
        },
        (err) => this.endure(err),
      )
      .finally(() => {
        clearTimeout(late);
        this.loading -= 1;
        if (this.changed) this.reload();
      });
  };

  /** Keeps the known keys for a while: a damaged file must not lock everybody out at once. */
  private endure(err: Error): void {
    const now = performance.now();
    const isNew = this.unreadableSince === undefined;
    this.unreadableSince ??= now;
    const isOver = now - this.unreadableSince > GRACE;
    if (isOver) this.known = this.extra;
    if (!isNew && now - this.complained < COMPLAINT_INTERVAL) return;
    this.complained = now;
    if (isOver) this.log.error({ err }, "keys not read again for an hour; every key of the file is refused");
    else this.log.error({ err }, "keys not read again; those known before stay in force for an hour");
  }
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
