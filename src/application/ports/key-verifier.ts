/** The form of a key's name, which logs and metrics show. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

/** Driven port: looks up an API key, on every request. HTTP uses it directly: authentication is not a use case. */
export interface KeyVerifier {
  /** The key with this secret, even if it has expired; undefined if it is malformed, unknown or revoked. */
  find(secret: string): ApiKey | undefined;

  /** The names of the keys that are accepted now, for metrics that start at 0. */
  names(): readonly string[];
}

/** An API key, without its secret. */
export interface ApiKey {
  /** The name its operator gave it; for logs and metrics. */
  readonly name: string;
  /** Unique for ever, even if an operator reuses a name; opaque ASCII. */
  readonly id: string;
  /** An expired key is rejected, but the log still names it, so that the operator finds the client. */
  readonly isExpired: boolean;
}
