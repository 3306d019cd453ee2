/** Codes of PostgreSQL and of the socket that mean: the connection is gone, the statement may be right. */
const LOST: ReadonlySet<string> = new Set([
  '57P01', // administrator ended the connection
  '57P02', // the server crashed
  '57P03', // it is starting up
  '25P03', // idle in a transaction for too long
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether an error says that the database could not be reached, not that it refused what it was told. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    LOST.has(code) ||
    code.startsWith('08') ||
    /^Connection terminated|timeout exceeded when trying to connect/.test(error.message)
  );
}
