/** The names of keys appear in logs and metrics. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

export interface KeyDescription {
  readonly name: string;
  /** In ISO 8601, like `expires`. */
  readonly created: string;
  /** Null if the key never expires. */
  readonly expires: string | null;
}

/**
 * Driven port: manages the API keys, in several processes at once. Operations reject with an Error that says
 * what to do if the keys cannot be read or stored.
 */
export interface KeyStore {
  /** Names the store in messages, e.g. the path of a file. */
  readonly location: string;
  /** Creates a key under a unique name. Its secret cannot be recovered later. */
  add(name: string, expires: string | null): Promise<KeyDescription & { readonly secret: string }>;
  list(): Promise<readonly (KeyDescription & { readonly expired: boolean })[]>;
  revoke(name: string): Promise<void>;
}
