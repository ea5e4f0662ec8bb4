/** The form that every key has: the token68 of RFC 9110, section 11.2. */
export const KEY_FORM = /^[\w.~+/-]+=*$/;

/** Driven port: whose API key is this? Answers from memory, so that it may be asked on every request. */
export interface KeyVerifier {
  /** The key this secret belongs to, even if it has expired; undefined if it is malformed, unknown or revoked. */
  find(secret: string): ApiKey | undefined;

  /** Whether a key that `find` gave is accepted now: a cheap question, without the secret. */
  accepts(key: ApiKey): boolean;

  /** Whether the operator's latest changes are known, so that no revoked key is accepted. */
  isCurrent(): boolean;
}

/** An API key, without its secret. */
export interface ApiKey {
  /** The name its operator gave it; for logs and metrics. */
  readonly name: string;
  /** Tells keys apart for ever, even if an operator uses a name again; opaque ASCII. */
  readonly id: string;
}
