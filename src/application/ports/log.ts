/** Driven port: the structured log, with pino's call signature: `log.warn({ attempt }, "message")`. */
export interface Log {
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

export interface LogCall {
  /** An error belongs under `err`. */
  (fields: object, message?: string): void;
  (message: string): void;
}
