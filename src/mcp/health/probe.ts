import type { Logger } from 'pino';
import type { McpSession } from '../client.ts';
import { describeFailure } from '../failures.ts';
import { openSession } from '../negotiate.ts';
import type { ListedTool, McpServerSettings } from '../types.ts';

export type ProbeResult = { healthy: true; listed: ListedTool[] } | { healthy: false; reason: string };

export interface ProbeLimits {
  /** Time limit of starting the server or connecting to it, including the handshake (ms). */
  initTimeoutMs: number;
  checkTimeoutMs: number;
}

/** Checks one server over its own session, which stays open between checks. */
export function createProbe(
  settings: McpServerSettings,
  limits: ProbeLimits,
  logger: Logger,
  lifetime: AbortSignal,
) {
  let session: McpSession | null = null;

  const close = async () => {
    const ended = session;
    session = null;
    await ended?.close().catch((error: unknown) => logger.warn({ err: error }, 'MCP session did not close'));
  };
  const list = async (): Promise<ProbeResult> => {
    try {
      const timeoutMs = limits.initTimeoutMs;
      session ??= await openSession(settings, { logger, timeoutMs, signal: lifetime });
      return { healthy: true, listed: await session.listTools(limits.checkTimeoutMs, lifetime) };
    } catch (error) {
      await close();
      return { healthy: false, reason: describeFailure(error) };
    }
  };

  return {
    /** Checks the server. Never rejects. Ignore the result once the lifetime is aborted. */
    async check(): Promise<ProbeResult> {
      const isFresh = session === null;
      const result = await list();
      // Retries once with a new session, because a server that restarted since the last check is healthy.
      return result.healthy || isFresh || lifetime.aborted ? result : list();
    },
    /** Ends the session and its process. Requires that the lifetime is aborted or no check is running. */
    close,
  };
}
