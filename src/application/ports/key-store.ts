/**
 * What the commands ask of the API keys. Several processes may use them at once, and nothing that one of them stored is
 * lost.
 */
export interface KeyStore {
  /** The place of the keys, for messages. */
  readonly place: string;

  /**
   * Makes a key under a name that no other key has. Nobody can find out its secret later.
   *
   * @param expires when it stops being accepted, in ISO 8601; never if it is null.
   * @throws Error that says what to do, if the name is taken, or the keys cannot be stored or have no place yet.
   */
  add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }>;

  /** @throws Error that says what to do, if the keys cannot be read. */
  list(): Promise<readonly KeyDescription[]>;

  /** @throws Error if no key has this name, or the keys cannot be stored. */
  revoke(name: string): Promise<void>;
}

interface KeyDescription {
  readonly name: string;
  /** ISO 8601, as `expires`. */
  readonly created: string;
  /** Null if the key does not expire. */
  readonly expires: string | null;
}
