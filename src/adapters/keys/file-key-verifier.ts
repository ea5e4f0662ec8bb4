import { timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { ApiKey, KeyVerifier } from "../../application/ports/key-verifier.js";
import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import { digestOf } from "./api-key.js";
import { createKeyRecord, type KeyRecord, readKeys } from "./keys-file.js";

/** How often the file is reloaded, in milliseconds: a change takes effect within two seconds. */
const RELOAD_INTERVAL = 500;

/** Verifies the keys in a file, and an extra one from the settings. */
export class FileKeyVerifier implements KeyVerifier {
  private failing = false;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly path: string,
    private readonly extra: readonly KeyRecord[],
    private readonly log: Log,
    private known = extra.map(toKnown),
  ) {}

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

  /** Reads the file, which may have been created since `open`, and reloads it until `close`. */
  async start(): Promise<void> {
    this.failing = !existsSync(this.path);
    if (!this.failing) await this.read();
    if (this.known.length === this.extra.length)
      this.log.warn("the keys file has no key; create one with: petstore keys add NAME");
    this.timer = setTimeout(this.reload, RELOAD_INTERVAL).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  find(secret: string): ApiKey | undefined {
    const digest = digestOf(secret);
    // Compares every key, each in constant time, so that the time reveals nothing about the known keys.
    const match = this.known.filter((key) => timingSafeEqual(key.digest, digest)).at(-1);
    // An unparsable date counts as past.
    return match && { name: match.name, id: match.id, isExpired: !(match.expires > Date.now()) };
  }

  names(): readonly string[] {
    return this.known.map(({ name }) => name);
  }

  /** Infinite if no key will expire. */
  private daysToNextExpiry(): number {
    const left = Math.min(
      ...this.known.map(({ expires }) => expires - Date.now()).filter((time) => time > 0),
    );
    return left / 86_400_000;
  }

  /** Resolves to whether the keys have changed. */
  private async read(): Promise<boolean> {
    const before = this.known;
    this.known = [...(await readKeys(this.path)), ...this.extra].map(toKnown);
    return !isDeepStrictEqual(this.known, before);
  }

  /** Keeps the known keys while the file is unreadable: a damaged file must not lock everybody out. */
  private readonly reload = async (): Promise<void> => {
    try {
      if ((await this.read()) || this.failing) this.log.info({ keys: this.known.length }, "keys reloaded");
      this.failing = false;
    } catch (err) {
      if (!this.failing) this.log.error({ err }, "cannot reload the keys file; the previous keys stay valid");
      this.failing = true;
    }
    this.timer?.refresh();
  };
}

function toKnown({ name, sha256, expires }: KeyRecord) {
  const digest = Buffer.from(sha256, "hex");
  const id = digest.toString("base64url");
  return { name, id, digest, expires: expires ? Date.parse(expires) : Infinity };
}
