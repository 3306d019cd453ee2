export class McpTimeoutError extends Error {
  readonly code = 'MCP_TIMEOUT';
  readonly limitMs: number;

  /** @param more text appended to the message, such as the server's last output */
  constructor(limitMs: number, more = '') {
    const limit = limitMs < 1000 ? `${Math.ceil(limitMs)} ms` : `${Number((limitMs / 1000).toFixed(1))} s`;
    super(`no answer within ${limit}${more}`);
    this.name = 'McpTimeoutError';
    this.limitMs = limitMs;
  }
}

export interface McpConnectionErrorOptions extends ErrorOptions {
  endedByClient?: boolean;
  neverSent?: boolean;
}

/**
 * Error of a connection that broke or could not be opened. The message states the reason without configured secrets.
 */
export class McpConnectionError extends Error {
  readonly code = 'MCP_CONNECTION';
  /** True if this client ended the connection, for example because the server exceeded a limit. */
  readonly endedByClient: boolean;
  readonly neverSent: boolean;

  constructor(
    message: string,
    { endedByClient = false, neverSent = false, ...options }: McpConnectionErrorOptions = {},
  ) {
    super(message, options);
    this.endedByClient = endedByClient;
    this.neverSent = neverSent;
    this.name = 'McpConnectionError';
  }
}
