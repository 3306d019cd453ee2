import type { Logger } from 'pino';
import { type McpSession, openSession } from '../client.ts';
import { describeFailure } from '../failures.ts';
import type { ListedTool } from '../listed-tool.ts';
import type { McpServerSettings } from '../types.ts';

/** What a check found: the tools that the server names, or why it cannot be used, in words. */
export type ProbeResult = { healthy: true; listed: ListedTool[] } | { healthy: false; reason: string };

/** Looks after one server over a session of its own, which stays open from check to check. */
export interface Probe {
  /** Never rejects; once the lifetime signal is aborted, the result means nothing. */
  check(): Promise<ProbeResult>;
  /** Ends the session; no process is left. The lifetime signal must be aborted, or no check under way. */
  close(): Promise<void>;
}

export interface ProbeLimits {
  /** Starting or connecting, and shaking hands. */
  initTimeoutMs: number;
  /** Listing the tools. */
  checkTimeoutMs: number;
}

export function createProbe(
  settings: McpServerSettings,
  limits: ProbeLimits,
  logger: Logger,
  lifetime: AbortSignal,
): Probe {
  let session: McpSession | null = null;

  const close = async () => {
    const ended = session;
    session = null;
    await ended?.close().catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'));
  };
  const list = async (): Promise<ProbeResult> => {
    try {
      session ??= await openSession(settings, logger, limits.initTimeoutMs, lifetime);
      return { healthy: true, listed: await session.listTools(limits.checkTimeoutMs, lifetime) };
    } catch (error) {
      await close();
      return { healthy: false, reason: describeFailure(error) };
    }
  };

  return {
    async check() {
      const isFresh = session === null;
      const result = await list();
      // A server that was restarted since the last check has lost the session, and nothing else is wrong with it.
      return result.healthy || isFresh || lifetime.aborted ? result : list();
    },
    close,
  };
}
