/** What HTTP asks of the API keys: whose is this? Answers from memory, so that it may be asked on every request. */
export interface KeyVerifier {
  /** The key this secret belongs to, even if it has expired; undefined if it is malformed, unknown or revoked. */
  find(secret: string): ApiKey | undefined;

  /** Whether the key with this id is accepted now: a cheap question, without the secret. */
  accepts(id: string): boolean;

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
