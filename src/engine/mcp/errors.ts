/** A server did not answer in the time it had. */
export class McpTimeoutError extends Error {
  readonly code = 'MCP_TIMEOUT';

  constructor(timeoutMs: number) {
    super(
      `no answer within ${timeoutMs < 1000 ? `${Math.ceil(timeoutMs)} ms` : `${Number((timeoutMs / 1000).toFixed(1))} s`}`,
    );
    this.name = 'McpTimeoutError';
  }
}

/** The connection to a server could not be made, or broke. The message says why and holds no secret. */
export class McpConnectionError extends Error {
  readonly code = 'MCP_CONNECTION';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpConnectionError';
  }
}
