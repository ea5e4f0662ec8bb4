import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { ApiKey, KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import { digestOf } from "./api-key.js";
import { createKeyRecord, expiryOf, type KeyRecord, readKeys } from "./keys-file.js";

/** How often the file is checked, in milliseconds: a change takes effect within two seconds. */
const CHECK_INTERVAL = 500;

/** Verifies the keys in a file, and an extra one from the settings. */
export class FileKeyVerifier implements KeyVerifier {
  private keys: ReturnType<typeof byDigest>;
  /** What changes with the file, as of its last reading. */
  private version = "";
  private hasKeys = false;
  private failing = false;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly path: string,
    private readonly extra: readonly KeyRecord[],
    private readonly log: Log,
  ) {
    this.keys = byDigest(extra);
  }

  /** The file need not exist yet. @throws Error that says how to fix it */
  static async open(
    path: string,
    extraKey: string | undefined,
    log: Log,
    metrics: Pick<Metrics, "addReading">,
  ): Promise<FileKeyVerifier> {
    const extra = extraKey === undefined ? [] : [createKeyRecord("PETSTORE_API_KEY", extraKey)];
    const verifier = new FileKeyVerifier(path, extra, log);
    if (existsSync(path)) await verifier.read();
    metrics.addReading({
      name: "petstore_keys_next_expiry_days",
      help: "Days until the next API key expires; absent if none will.",
      type: "gauge",
      read: () => verifier.daysToNextExpiry(),
    });
    return verifier;
  }

  /** Reads the file, which may have been created since `open`, and follows its changes until `close`. */
  async start(): Promise<void> {
    this.failing = !existsSync(this.path);
    if (!this.failing) await this.read();
    if (!this.hasKeys) this.log.warn("the keys file has no key; create one with: petstore keys add NAME");
    this.timer = setTimeout(this.reload, CHECK_INTERVAL).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  find(secret: string): ApiKey | undefined {
    // The time of a look-up can tell something about the digests, and nothing about the keys.
    const key = this.keys.get(digestOf(secret));
    return key && { name: key.name, id: key.id, isExpired: key.expiry <= Date.now() };
  }

  names(): readonly string[] {
    return this.validKeys().map(({ name }) => name);
  }

  /** Infinite if none will expire. */
  private daysToNextExpiry(): number {
    return (Math.min(...this.validKeys().map(({ expiry }) => expiry)) - Date.now()) / 86_400_000;
  }

  private validKeys() {
    const now = Date.now();
    return [...this.keys.values()].filter(({ expiry }) => expiry > now);
  }

  /** Reads and parses the file if it has changed. Resolves to whether it has. */
  private async read(): Promise<boolean> {
    const { ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true });
    const version = [ino, size, mtimeNs, ctimeNs].join();
    if (version === this.version) return false;
    const records = await readKeys(this.path);
    this.keys = byDigest([...records, ...this.extra]);
    this.hasKeys = records.length > 0;
    this.version = version;
    return true;
  }

  /** Keeps the previous keys while the file is unreadable: a corrupt file must not lock everybody out. */
  private readonly reload = async (): Promise<void> => {
    try {
      if ((await this.read()) || this.failing) this.log.info({ keys: this.keys.size }, "keys reloaded");
      this.failing = false;
    } catch (err) {
      if (!this.failing) this.log.error({ err }, "cannot reload the keys file; the previous keys stay valid");
      this.failing = true;
    }
    this.timer?.refresh();
  };
}

/** Of several keys with one digest the last counts. */
function byDigest(records: readonly KeyRecord[]) {
  return new Map(
    records.map(({ name, sha256, expires }) => {
      const id = Buffer.from(sha256, "hex").toString("base64url");
      return [sha256, { name, id, expiry: expiryOf(expires) }];
    }),
  );
}
