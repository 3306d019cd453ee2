import type { Logger } from 'pino';
import type { McpSession } from './client.ts';
import { openSession } from './negotiate.ts';
import type { SessionPool } from './session-pool.ts';
import { limitStarts } from './start-limiter.ts';
import type { ListedTool, McpServerSettings } from './types.ts';

/** Connection to a server for the life of an executor. Has one session at a time and replaces a session that ended. */
export interface McpConnection {
  /** True for servers over HTTP and SSE, which run elsewhere and may restart at any time. */
  isRemote: boolean;
  /** Returns the current session or opens a new one. Concurrent callers share it. */
  session(): Promise<McpSession>;
  discard(session: McpSession): void;
  /** Releases the current session and waits until all other sessions have ended. Abort the lifetime first. */
  close(): Promise<void>;
}

/** Time limit of reopening a session during a call (ms). Short, to leave most of the call's time to the tool. */
const REOPEN_TIMEOUT_MS = 10_000;
/** A pooled session that does not list its tools in this time (ms) is replaced, because its server may be gone. */
const POOLED_ANSWER_MS = 3_000;
/** A remote pooled session that listed its tools within this time (ms) is not asked again. */
const RECENT_LISTING_MS = 5_000;

interface ConnectOptions {
  logger: Logger;
  timeoutMs: number;
  lifetime: AbortSignal;
  pool: SessionPool | undefined;
  onToolsChanged: () => void;
}

/** Connects to a server, with a pooled session if one still answers, and lists its tools. @throws like `openSession` */
export async function connect(
  settings: McpServerSettings,
  { logger: ownLogger, timeoutMs, lifetime, pool, onToolsChanged }: ConnectOptions,
): Promise<{ connection: McpConnection; listed: ListedTool[] }> {
  // Uses the pool's logger, because a pooled MCP session outlives the investigation that opened it.
  const logger = settings.reuse ? (pool?.logger.child({ mcpServer: settings.id }) ?? ownLogger) : ownLogger;
  const isRemote = settings.transport.type !== 'stdio';
  const ending = new Set<Promise<void>>();

  const end = (session: McpSession) => {
    session.onToolsChanged(null);
    const ended = session
      .close()
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const withStartLimit = <T>(start: () => Promise<T>) =>
    isRemote ? start() : limitStarts(settings.id, start, lifetime);
  const open = async (limitMs: number, era?: McpSession['era']) => {
    const session = await openSession(settings, {
      ...{ logger, era, timeoutMs: limitMs },
      signal: lifetime,
      notifyToolChanges: true,
    });
    session.onToolsChanged(onToolsChanged);
    return session;
  };
  const list = async (session: McpSession, limitMs: number) => {
    try {
      return { session, listed: await session.listTools(Math.max(1, limitMs), lifetime) };
    } catch (error) {
      end(session);
      throw error;
    }
  };
  const acquirePooled = async () => {
    const session = pool?.acquire(settings.id) ?? null;
    session?.onToolsChanged(onToolsChanged);
    const listed = isRemote ? session?.recentTools(RECENT_LISTING_MS) : null;
    if (session && listed) return { session, listed };
    return session && list(session, Math.min(timeoutMs, POOLED_ANSWER_MS)).catch(() => null);
  };
  const openFirst = async () => {
    const started = performance.now();
    return list(await open(timeoutMs), timeoutMs - (performance.now() - started));
  };

  const first =
    (await acquirePooled()) ??
    (await withStartLimit(openFirst).catch(async (error: unknown) => {
      await Promise.all(ending); // no failed session is left running
      throw error;
    }));
  const { era } = first.session;
  let current: Promise<McpSession> | null = Promise.resolve(first.session);
  const connection: McpConnection = {
    isRemote,
    async session() {
      const existing = current;
      const session = await existing?.catch(() => null);
      lifetime.throwIfAborted(); // another agent may own the session after release
      if (session && !session.isClosed()) return session;
      if (session) end(session);
      if (current === existing) current = null;
      if (current === null) logger.info('MCP session reopened');
      current ??= withStartLimit(() => open(Math.min(timeoutMs, REOPEN_TIMEOUT_MS), era));
      return current;
    },
    discard: end,
    async close() {
      const session = await current?.catch(() => null);
      if (session && pool) await pool.release(settings, session);
      else if (session) end(session);
      await Promise.all(ending);
    },
  };
  return { connection, listed: first.listed };
}
