/** A server did not answer in the time it had. */
export class McpTimeoutError extends Error {
  readonly code = 'MCP_TIMEOUT';
  readonly limitMs: number;

  /** @param more what else is known, such as what the server wrote last */
  constructor(limitMs: number, more = '') {
    const limit = limitMs < 1000 ? `${Math.ceil(limitMs)} ms` : `${Number((limitMs / 1000).toFixed(1))} s`;
    super(`no answer within ${limit}${more}`);
    this.name = 'McpTimeoutError';
    this.limitMs = limitMs;
  }
}

/** The connection to a server could not be made, or broke. The message says why and holds no secret of ours. */
export class McpConnectionError extends Error {
  readonly code = 'MCP_CONNECTION';
  /** We ended it ourselves, for what the server sent. */
  readonly isOurs: boolean;
  /** What was to be sent never left. */
  readonly isUnsent: boolean;

  constructor(
    message: string,
    {
      isOurs = false,
      isUnsent = false,
      ...options
    }: ErrorOptions & { isOurs?: boolean; isUnsent?: boolean } = {},
  ) {
    super(message, options);
    this.isOurs = isOurs;
    this.isUnsent = isUnsent;
    this.name = 'McpConnectionError';
  }
}
