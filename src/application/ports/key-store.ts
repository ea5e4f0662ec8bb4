/** The form of a key's name, which logs and metrics show. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

export interface KeyDescription {
  readonly name: string;
  /** ISO 8601, as `expires`. */
  readonly created: string;
  /** Null if the key never expires. */
  readonly expires: string | null;
}

/**
 * Driven port: manages the API keys. Several processes may use it at once without losing a change. Each operation rejects
 * with an Error that says what to do, if the keys cannot be read or stored.
 */
export interface KeyStore {
  /** For messages, e.g. the path of a file. */
  readonly location: string;
  /** Creates a key under a unique name. Its secret cannot be recovered later. */
  add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }>;
  list(): Promise<readonly (KeyDescription & { readonly expired: boolean })[]>;
  revoke(name: string): Promise<void>;
}
