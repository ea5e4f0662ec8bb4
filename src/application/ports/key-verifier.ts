/** The form of a key's name, which logs and metrics show. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

/** Driven port: finds an API key on every request. HTTP uses it directly: authentication is no use case. */
export interface KeyVerifier {
  /** Returns the key of a secret, even an expired key; undefined if it is malformed, unknown or revoked. */
  find(secret: string): ApiKey | undefined;

  /** Returns the names of the valid keys, whose metrics start at 0. */
  names(): readonly string[];
}

/** An API key, without its secret. */
export interface ApiKey {
  /** Chosen by the operator; for logs and metrics. */
  readonly name: string;
  /** Unique for ever, even if an operator reuses a name; opaque ASCII. */
  readonly id: string;
  /** An expired key is rejected, but the log still names it, so that the operator finds the client. */
  readonly isExpired: boolean;
}
