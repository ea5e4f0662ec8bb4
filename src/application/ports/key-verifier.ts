/** Driving side: whose is an API key? Answers from memory, so that it may be asked on every request. */
export interface KeyVerifier {
  /** The key that this secret belongs to, also if it has expired; undefined if it is malformed, unknown or revoked. */
  find(secret: string): ApiKey | undefined;
}

/** An API key, without its secret. */
export interface ApiKey {
  /** The name its operator gave it; for logs and metrics. */
  readonly name: string;
  /** Tells keys apart for ever, even if an operator uses a name again; opaque ASCII. */
  readonly id: string;
  /** An expired key is refused, and the log still names it, so that its operator finds the client. */
  readonly isExpired: boolean;
}
