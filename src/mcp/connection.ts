import type { Logger } from 'pino';
import { type McpSession, openSession, type SessionOptions } from './client.ts';
import type { McpServerSettings } from './types.ts';

/** A server over the life of an executor: one session at a time, replaced when it has ended. */
export interface McpConnection {
  /** The server is another's process, which may be restarted while we look. */
  isRemote: boolean;
  /** The current session; opens a new one when the last has ended. Callers at the same time share it. */
  session(): Promise<McpSession>;
  /** Gives up a session that failed, so that the next call opens a new one. */
  discard(session: McpSession): void;
  /** Ends every session there was. The lifetime signal must be aborted before, so that none is opened afterwards. */
  close(): Promise<void>;
}

/** Opening a session again within a call must leave most of the call's time for the call. */
const REOPEN_TIMEOUT_MS = 10_000;

/** Opens the first session. Throws what openSession throws. `lifetime` ends attempts that are under way. */
export async function connect(
  settings: McpServerSettings,
  logger: Logger,
  timeoutMs: number,
  lifetime: AbortSignal,
  options: Pick<SessionOptions, 'onToolsChanged'> = {},
): Promise<McpConnection> {
  let current: Promise<McpSession> | null = openSession(settings, logger, timeoutMs, lifetime, options);
  const ending = new Set<Promise<void>>();

  const end = (session: McpSession) => {
    const ended = session
      .close()
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  };

  const { era } = await current;
  return {
    isRemote: settings.transport.type !== 'stdio',
    async session() {
      const existing = current;
      const session = await existing?.catch(() => null);
      if (session && !session.closed()) return session;
      if (session) end(session);
      if (current === existing) current = null;
      lifetime.throwIfAborted();
      if (current === null) logger.info('MCP session is opened again');
      const reopenMs = Math.min(timeoutMs, REOPEN_TIMEOUT_MS);
      current ??= openSession(settings, logger, reopenMs, lifetime, { ...options, era });
      return current;
    },
    discard: end,
    async close() {
      const session = await current?.catch(() => null);
      if (session) end(session);
      await Promise.all(ending);
    },
  };
}
