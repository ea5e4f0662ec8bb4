import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { ApiKey, KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import { createKeyRecord, digestOf, expiryOf, type KeyRecord, readKeys } from "./keys-file.js";

/** Verifies the keys in a file, and an extra key from the settings. */
export class FileKeyVerifier implements KeyVerifier {
  private keys = byDigest([]);
  private fileVersion = "";
  private isFailing = false;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly path: string,
    private readonly extra: ReturnType<typeof byDigest>,
    private readonly log: Log,
  ) {}

  /** The file need not exist yet. @throws Error that says how to fix it */
  static async open(path: string, key: string | undefined, log: Log, metrics: Pick<Metrics, "addReading">) {
    const extra = key === undefined ? [] : [createKeyRecord("PETSTORE_API_KEY", key)];
    const verifier = new FileKeyVerifier(path, byDigest(extra), log);
    if (existsSync(path)) await verifier.read();
    metrics.addReading({
      name: "petstore_keys_next_expiry_days",
      help: "Days until the next API key expires; absent if none will.",
      type: "gauge",
      read: () => (Math.min(...verifier.validKeys().map(({ expiry }) => expiry)) - Date.now()) / 86_400_000,
    });
    return verifier;
  }

  /** Reads the file, which may have been created since `open`, and follows its changes until `close`. */
  async start(): Promise<void> {
    this.isFailing = !existsSync(this.path);
    if (!this.isFailing) await this.read();
    if (this.keys.size === 0) this.log.warn("the keys file has no key; add one with: petstore keys add NAME");
    // A change takes effect within two seconds, even on a busy machine.
    this.timer = setTimeout(() => this.reload(), 500).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  find(secret: string): ApiKey | undefined {
    // The time of a look-up may reveal something about digests, and nothing about keys.
    const digest = digestOf(secret);
    const key = this.extra.get(digest) ?? this.keys.get(digest);
    return key && { name: key.name, id: key.id, isExpired: key.expiry <= Date.now() };
  }

  names(): readonly string[] {
    return this.validKeys().map(({ name }) => name);
  }

  private validKeys() {
    return [...this.keys.values(), ...this.extra.values()].filter(({ expiry }) => expiry > Date.now());
  }

  /** Reads the file if it has changed; resolves to whether it did. */
  private async read(): Promise<boolean> {
    const { ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true });
    const version = [ino, size, mtimeNs, ctimeNs].join();
    if (version === this.fileVersion) return false;
    this.keys = byDigest(await readKeys(this.path));
    this.fileVersion = version;
    return true;
  }

  /** Keeps the previous keys if the file cannot be read: a corrupt file must not lock everybody out. */
  async reload(): Promise<void> {
    try {
      if ((await this.read()) || this.isFailing) this.log.info({ keys: this.keys.size }, "keys reloaded");
      this.isFailing = false;
    } catch (err) {
      if (!this.isFailing) this.log.error({ err }, "cannot reload the keys file; previous keys stay valid");
      this.isFailing = true;
    }
    this.timer?.refresh();
  }
}

/** Maps digests to keys; the last of several keys with the same digest counts. */
function byDigest(records: readonly KeyRecord[]) {
  return new Map(
    records.map(({ name, sha256, expires }) => {
      const id = Buffer.from(sha256, "hex").toString("base64url");
      return [sha256, { name, id, expiry: expiryOf(expires) }];
    }),
  );
}
