import type { Logger } from 'pino';
import type { McpSession } from './client.ts';
import type { McpServerSettings } from './types.ts';

/** Sessions of servers that may be reused, between the agents that use them: each has one at a time, and gives it back. */
export interface KeptSessions {
  readonly logger: Logger;
  /** The one that was used last; null when none lives. */
  take(server: string): McpSession | null;
  /** Keeps a session for a while, when the server's settings allow it and nothing went wrong on it; ends it otherwise. */
  giveBack(settings: McpServerSettings, session: McpSession): Promise<void>;
  /** Ends what is kept, and whatever is given back from now on. */
  close(): Promise<void>;
}

/** Milliseconds that a session is kept unused: agents of one investigation follow each other within seconds. */
const KEPT_MS = 60_000;
/** Sessions that are kept of one server; each is a process over stdio, and all that many agents at once need else. */
const MAX_KEPT = 16;
const MAX_KEPT_PROCESSES = 4;

interface Kept {
  session: McpSession;
  timer: NodeJS.Timeout;
}

export function createKeptSessions(logger: Logger, keptMs = KEPT_MS): KeptSessions {
  const kept = new Map<string, Kept[]>();
  let isClosed = false;

  const end = (session: McpSession) =>
    session.close().catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'));
  const drop = (server: string, one: Kept) => {
    kept.set(server, kept.get(server)?.filter((other) => other !== one) ?? []);
    return end(one.session);
  };

  return {
    logger,
    take(server) {
      for (let last = kept.get(server)?.pop(); last !== undefined; last = kept.get(server)?.pop()) {
        clearTimeout(last.timer);
        if (!last.session.closed()) return last.session;
        void end(last.session);
      }
      return null;
    },
    async giveBack({ id, reuse = false, transport }, session) {
      session.onToolsChanged(null);
      const list = kept.get(id) ?? [];
      const most = transport.type === 'stdio' ? MAX_KEPT_PROCESSES : MAX_KEPT;
      if (!reuse || isClosed || !session.isSound() || list.length >= most) return end(session);
      const timer = setTimeout(() => void drop(id, one), keptMs).unref();
      const one: Kept = { session, timer };
      kept.set(id, [...list, one]);
    },
    async close() {
      isClosed = true;
      const all = [...kept].flatMap(([server, list]) => list.map((one) => ({ server, one })));
      for (const { one } of all) clearTimeout(one.timer);
      await Promise.all(all.map(({ server, one }) => drop(server, one)));
    },
  };
}
