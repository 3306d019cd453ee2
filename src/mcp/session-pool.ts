import type { Logger } from 'pino';
import type { McpSession } from './client.ts';
import type { McpServerSettings } from './types.ts';

export type SessionPool = ReturnType<typeof createSessionPool>;

/** Time that an idle session is kept (ms). Long enough, because agents of one investigation start within seconds. */
const IDLE_MS = 60_000;
const MAX_IDLE = 16;
/** Maximum number of idle sessions per stdio server. Lower than MAX_IDLE, because each session is a process. */
const MAX_IDLE_PROCESSES = 4;

interface IdleSession {
  session: McpSession;
  timer: NodeJS.Timeout;
}

/** Creates a pool of idle sessions of servers with `reuse`. Agents use a session one after another. */
export function createSessionPool(logger: Logger, idleMs = IDLE_MS) {
  const idle = new Map<string, IdleSession[]>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;

  const track = (ended: Promise<void>): Promise<void> => {
    const done = () => void ending.delete(ended);
    ending.add(ended);
    ended.then(done, done);
    return ended;
  };
  const end = (session: McpSession) =>
    track(
      session.close().catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close')),
    );
  const evict = (server: string, entry: IdleSession) => {
    idle.set(server, idle.get(server)?.filter((other) => other !== entry) ?? []);
    return end(entry.session);
  };

  return {
    logger,
    /** Makes `close` wait for the end of sessions outside the pool. */
    track,
    /** Removes and returns the server's most recently used idle session; `null` if none is live. */
    acquire(server: string): McpSession | null {
      for (let last = idle.get(server)?.pop(); last !== undefined; last = idle.get(server)?.pop()) {
        clearTimeout(last.timer);
        if (!last.session.isClosed()) return last.session;
        void end(last.session);
      }
      return null;
    },
    /** Keeps a session for `idleMs` if its server has `reuse`, it is reusable and the pool has room. Else ends it. */
    async release({ id, reuse = false, transport }: McpServerSettings, session: McpSession): Promise<void> {
      session.onToolsChanged(null);
      const entries = idle.get(id) ?? [];
      const max = transport.type === 'stdio' ? MAX_IDLE_PROCESSES : MAX_IDLE;
      if (!reuse || isClosed || !session.isReusable() || entries.length >= max) return end(session);
      const timer = setTimeout(() => void evict(id, entry), idleMs).unref();
      const entry: IdleSession = { session, timer };
      idle.set(id, [...entries, entry]);
    },
    /** Ends all idle sessions, and each session that is released later. Resolves when all sessions have ended. */
    async close(): Promise<void> {
      isClosed = true;
      const all = [...idle].flatMap(([server, entries]) => entries.map((entry) => ({ server, entry })));
      for (const { entry } of all) clearTimeout(entry.timer);
      for (const { server, entry } of all) void evict(server, entry);
      while (ending.size > 0) await Promise.allSettled(ending);
    },
  };
}
