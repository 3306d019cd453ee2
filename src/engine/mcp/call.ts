import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { KnownTool } from './catalogue.ts';
import type { McpSession } from './client.ts';
import type { McpConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import { McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, retryDelayMs } from './recovery.ts';
import type { RawToolResult } from './results.ts';

export interface ToolCall {
  connection: McpConnection;
  known: KnownTool;
  parameters: Record<string, unknown>;
  logger: Logger;
}

/** The server's answer, or why there is none, in words. */
export type CallOutcome = { result: RawToolResult; failure: null } | { result: null; failure: string };

/**
 * Calls a tool within `timeoutMs`. A connection that broke is made anew for one more try, when the tool declares that
 * calling it twice does no harm. Throws only the signal's reason.
 */
export async function callWithRetry(
  call: ToolCall,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const deadline = performance.now() + timeoutMs;
  const first = await attempt(call, timeoutMs, signal);
  if (first.kind !== 'transport') return tell(first, timeoutMs);
  if (first.sent && !call.known.definition.repeatable) {
    return {
      result: null,
      failure: `${first.failure}. Whether the call took effect is not known; it was not repeated, because the tool does not declare that this is safe.`,
    };
  }
  const pause = retryDelayMs();
  if (deadline - performance.now() <= pause) return tell(first, timeoutMs);
  call.logger.info({ reason: first.failure }, 'MCP call is tried again on a new session');
  await delay(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  return tell(await attempt(call, Math.max(1, deadline - performance.now()), signal), timeoutMs);
}

type Attempt =
  | { kind: 'answer'; result: RawToolResult }
  /** `sent`: the call may have reached the server. */
  | { kind: 'transport' | 'timeout' | 'protocol' | 'other'; failure: string; sent: boolean };

function tell(attempt: Attempt, timeoutMs: number): CallOutcome {
  if (attempt.kind === 'answer') return { result: attempt.result, failure: null };
  // The time left for a retry means nothing to the reader.
  const failure = attempt.kind === 'timeout' ? new McpTimeoutError(timeoutMs).message : attempt.failure;
  return { result: null, failure };
}

async function attempt(call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  const started = performance.now();
  let session: McpSession | null = null;
  try {
    session = await withDeadline(timeoutMs, signal, () => call.connection.session());
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    return { kind: 'answer', result: await session.callTool(call.known.tool, call.parameters, left, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const kind = classifyFailure(error, session?.closed() ?? false);
    if (kind === 'transport' && session !== null) call.connection.discard(session);
    return { kind, failure: describeFailure(error), sent: session !== null };
  }
}
