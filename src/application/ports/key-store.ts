/** The form of a key's name, which logs and metrics show. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

/** Driven port: manages the API keys. Several processes may use it at once without losing a change. */
export interface KeyStore {
  /** For messages, e.g. the path of a file. */
  readonly location: string;

  /**
   * Creates a key under a unique name. Its secret cannot be recovered later.
   *
   * @param expires in ISO 8601; null if it never expires
   * @throws Error that says what to do, if the name is taken or the key cannot be stored
   */
  add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }>;

  /** @throws Error that says what to do, if the keys cannot be read */
  list(): Promise<readonly (KeyDescription & { readonly expired: boolean })[]>;

  /** @throws Error if no key has this name, or the change cannot be stored */
  revoke(name: string): Promise<void>;
}

export interface KeyDescription {
  readonly name: string;
  /** ISO 8601, as `expires`. */
  readonly created: string;
  /** Null if it never expires. */
  readonly expires: string | null;
}
