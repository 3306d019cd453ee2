import type { Logger } from 'pino';
import { type McpSession, openSession } from './client.ts';
import type { ListedTool } from './listed-tool.ts';
import type { KeptSessions } from './session-pool.ts';
import { startInTurn } from './start-limiter.ts';
import type { McpServerSettings } from './types.ts';

/** A server over the life of an executor: one session at a time, replaced when it has ended. */
export interface McpConnection {
  /** The server is another's process, which may be restarted while we look. */
  isRemote: boolean;
  /** The current session; opens a new one when the last has ended. Callers at the same time share it. */
  session(): Promise<McpSession>;
  /** Gives up a session that failed, so that the next call opens a new one. */
  discard(session: McpSession): void;
  /** Gives its session back and ends all others. The lifetime signal must be aborted before, so that none is opened afterwards. */
  close(): Promise<void>;
}

/** Opening a session again within a call must leave most of the call's time for the call. */
const REOPEN_TIMEOUT_MS = 10_000;
/** A kept session that does not list its tools within this is not waited for: its server may be another by now. */
const KEPT_ANSWER_MS = 3_000;
/** A kept session over the network that listed its tools this short a while ago (ms) is not asked again. */
const LISTED_LATELY_MS = 5_000;

interface ConnectOptions {
  logger: Logger;
  /** Of the first session, its tools included. */
  timeoutMs: number;
  /** Ends attempts that are under way. */
  lifetime: AbortSignal;
  kept: KeptSessions | undefined;
  onToolsChanged: () => void;
}

/** The first session, one that was kept if its server still answers, and what it lists. Throws what openSession throws. */
export async function connect(
  settings: McpServerSettings,
  { logger: ownLogger, timeoutMs, lifetime, kept, onToolsChanged }: ConnectOptions,
): Promise<{ connection: McpConnection; listed: ListedTool[] }> {
  // What is kept outlives the investigation that it was opened in.
  const logger = settings.reuse ? (kept?.logger.child({ mcpServer: settings.id }) ?? ownLogger) : ownLogger;
  const isRemote = settings.transport.type !== 'stdio';
  const ending = new Set<Promise<void>>();

  const leave = (session: McpSession, leaving: Promise<void>) => {
    session.onToolsChanged(null);
    const ended = leaving
      .catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const end = (session: McpSession) => leave(session, session.close());
  const inTurn = <T>(start: () => Promise<T>) =>
    isRemote ? start() : startInTurn(settings.id, start, lifetime);
  const open = async (limitMs: number, era?: McpSession['era']) => {
    const session = await openSession(settings, logger, limitMs, lifetime, { hearsOfTools: true, era });
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
  const listKept = async () => {
    const session = kept?.take(settings.id) ?? null;
    session?.onToolsChanged(onToolsChanged);
    const listed = isRemote ? session?.listedWithin(LISTED_LATELY_MS) : null;
    if (session && listed) return { session, listed };
    return session && list(session, Math.min(timeoutMs, KEPT_ANSWER_MS)).catch(() => null);
  };

  const openFirst = async () => {
    const started = performance.now();
    return list(await open(timeoutMs), timeoutMs - (performance.now() - started));
  };
  const first =
    (await listKept()) ??
    (await inTurn(openFirst).catch(async (error: unknown) => {
      await Promise.all(ending); // nothing is left running
      throw error;
    }));
  const { era } = first.session;
  let current: Promise<McpSession> | null = Promise.resolve(first.session);
  const connection: McpConnection = {
    isRemote,
    async session() {
      const existing = current;
      const session = await existing?.catch(() => null);
      lifetime.throwIfAborted(); // it may be another's by now
      if (session && !session.closed()) return session;
      if (session) end(session);
      if (current === existing) current = null;
      if (current === null) logger.info('MCP session is opened again');
      current ??= inTurn(() => open(Math.min(timeoutMs, REOPEN_TIMEOUT_MS), era));
      return current;
    },
    discard: end,
    async close() {
      const session = await current?.catch(() => null);
      if (session) leave(session, kept?.giveBack(settings, session) ?? session.close());
      await Promise.all(ending);
    },
  };
  return { connection, listed: first.listed };
}
