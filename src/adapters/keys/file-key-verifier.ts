import { timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import type { ApiKey, KeyVerifier } from "../../application/ports/key-verifier.js";
import type { StorageContext } from "../../application/ports/storage.js";
import { digestOf, KEY_FORM } from "./api-key.js";
import { refuseGone } from "./change-keys-file.js";
import { type KeyRecord, keyRecord, readKeysFile } from "./keys-file.js";

/** How often the file is read, in milliseconds: a change counts within two seconds. */
const INTERVAL = 500;

/** How long the file may be unreadable before this instance is not ready, in milliseconds: it may just be replaced. */
const READY_GRACE = 5000;

const DAY = 86_400_000;

interface KnownKey {
  readonly name: string;
  readonly id: string;
  readonly digest: Buffer;
  /** Milliseconds since the epoch; Infinity if the key does not expire. */
  readonly expires: number;
}

/** Knows the keys whose digests are in a file, and one more key that may be given at start. */
export class FileKeyVerifier implements KeyVerifier {
  /** The keys in the file as they were read last. */
  private content = "";
  /** When the file was readable last, by `performance.now()`. */
  private lastRead = 0;
  private failing = false;
  /** Undefined once this is closed. */
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly path: string,
    private readonly extra: readonly KeyRecord[],
    private readonly log: StorageContext["log"],
    private known: readonly KnownKey[] = extra.map(knownKey),
  ) {}

  /**
   * Starts, unless the file was never made: its maker then calls `start`.
   *
   * @throws Error that says how to mend the file
   */
  static async open(
    path: string,
    extraKey: string | undefined,
    { log, addReading }: Pick<StorageContext, "log" | "addReading">,
  ): Promise<FileKeyVerifier> {
    const extra = extraKey === undefined ? [] : [keyRecord("PETSTORE_API_KEY", extraKey)];
    const verifier = new FileKeyVerifier(path, extra, log);
    await refuseGone(path);
    if (existsSync(path)) await verifier.start();
    addReading({
      name: "petstore_keys_file_unreadable_seconds",
      help: "For how long the keys file has not been readable; 0 if it is. Nobody can revoke a key meanwhile.",
      type: "gauge",
      read: () => verifier.unreadableFor() / 1000,
    });
    addReading({
      name: "petstore_keys_next_expiry_days",
      help: "In how many days the next key expires; absent if none will.",
      type: "gauge",
      read: () => verifier.nextExpiryIn() / DAY,
    });
    return verifier;
  }

  /** Reads the file, and reads it again until `close`. */
  async start(): Promise<void> {
    if (this.timer) return;
    await this.read();
    if (this.known.length === this.extra.length)
      this.log.warn("the keys file has no key; make one with: petstore keys add NAME");
    this.readLater();
  }

  find(secret: string): ApiKey | undefined {
    if (!KEY_FORM.test(secret)) return undefined;
    const digest = digestOf(secret);
    let match: KnownKey | undefined;
    // The loop compares every key, each in constant time, so that its time tells nothing about the known keys.
    for (const key of this.known) if (timingSafeEqual(key.digest, digest)) match = key;
    return match && { name: match.name, id: match.id, isExpired: match.expires <= Date.now() };
  }

  accepts(id: string): boolean {
    return this.known.some((key) => key.id === id && key.expires > Date.now());
  }

  isCurrent(): boolean {
    return this.unreadableFor() < READY_GRACE;
  }

  /** For how many milliseconds the file has not been readable; 0 if it was at the last look. */
  private unreadableFor(): number {
    const age = performance.now() - this.lastRead;
    return this.failing || age > READY_GRACE ? age : 0;
  }

  /** In how many milliseconds the next key expires; Infinity if none will. */
  private nextExpiryIn(): number {
    const now = Date.now();
    return Math.min(...this.known.map(({ expires }) => (expires > now ? expires : Infinity))) - now;
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async read(): Promise<boolean> {
    const records = await readKeysFile(this.path);
    this.lastRead = performance.now();
    const content = JSON.stringify(records);
    if (content === this.content) return false;
    this.content = content;
    this.known = [...records, ...this.extra].map(knownKey);
    return true;
  }

  /** Keeps the known keys while the file cannot be read: a damaged file must not lock everybody out. */
  private readLater(): void {
    this.timer = setTimeout(async () => {
      try {
        if ((await this.read()) || this.failing) {
          this.log.info({ keys: this.known.length }, "keys read again");
        }
        this.failing = false;
      } catch (err) {
        if (!this.failing) this.log.error({ err }, "keys not read again; those known before stay in force");
        this.failing = true;
      }
      if (this.timer) this.readLater();
    }, INTERVAL).unref();
  }
}

function knownKey({ name, sha256, expires }: KeyRecord): KnownKey {
  const digest = Buffer.from(sha256, "hex");
  const id = digest.toString("base64url");
  return { name, id, digest, expires: expires ? Date.parse(expires) : Infinity };
}
