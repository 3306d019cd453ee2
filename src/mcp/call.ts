import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { McpSession } from './client.ts';
import type { McpConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import { McpTimeoutError } from './errors.ts';
import {
  classifyFailure,
  describeFailure,
  type FailureKind,
  isConnectionLost,
  isUnreachable,
  refusalOf,
  retryDelayMs,
  wasNeverSent,
} from './failures.ts';
import type { RawToolResult } from './results.ts';
import type { KnownTool, McpSessionInfo } from './types.ts';

export interface ToolCall {
  connection: McpConnection;
  known: KnownTool;
  parameters: Record<string, unknown>;
  /** W3C trace context that the server receives; `null` or absent if none. */
  traceparent?: string | null | undefined;
  logger: Logger;
}

export type CallOutcome =
  | { kind: 'answer'; result: RawToolResult; session: McpSessionInfo }
  /**
   * `outcomeUnknown`: true if the call may have reached the tool, so that its effect is unknown. `errorCode`: the code of
   * JSON-RPC if the server sent one, else the kind of the failure.
   */
  | {
      kind: 'failure';
      failure: string;
      outcomeUnknown: boolean;
      errorCode: string;
      session: McpSessionInfo | null;
    };

/** Time that a call waits for an unreachable remote server (ms), because the server may be restarting. */
const RECONNECT_WINDOW_MS = 30_000;

/**
 * Calls a tool within `timeoutMs`, or longer while it reports progress. Throws only the signal's reason.
 * Retries after transport failures:
 * - A call that was never sent: for up to RECONNECT_WINDOW_MS if a remote server is unreachable, otherwise once.
 * - A call that may have reached the tool: once if it is `repeatable`, or if its server annotates no tool and the
 * connection broke.
 */
export async function callWithRetry(
  call: ToolCall,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const started = performance.now();
  const { repeatable, toolClass, ask } = call.known.definition;
  const reconnectUntil = started + Math.min(timeoutMs, call.connection.isRemote ? RECONNECT_WINDOW_MS : 0);
  let mayHaveActed = false;
  for (let tries = 1; ; tries += 1) {
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const tried = await attempt(call, left, signal);
    if (tried.kind !== 'transport') return outcomeOf(tried, timeoutMs, mayHaveActed);
    if (tried.sent && !repeatable) {
      const isOnceMore =
        !mayHaveActed && ask === null && toolClass === 'undeclared' && isConnectionLost(tried.error);
      mayHaveActed = true;
      if (!isOnceMore) return outcomeOf(tried, timeoutMs, mayHaveActed);
    }
    const pause = retryDelayMs();
    const resumed = performance.now() + pause;
    // A second failure on a reachable server ends the retries, because the next connection would break too.
    const isStillUnreachable = !tried.sent && isUnreachable(tried.error) && resumed < reconnectUntil;
    const isWorthRetrying = tries === 1 ? resumed < started + timeoutMs : isStillUnreachable;
    if (!isWorthRetrying) return outcomeOf(tried, timeoutMs, mayHaveActed);
    call.logger.info('MCP call retried on a new session');
    await delay(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

type Attempt =
  | { kind: 'answer'; result: RawToolResult; session: McpSessionInfo }
  | {
      kind: FailureKind;
      failure: string;
      sent: boolean;
      error: unknown;
      session: McpSessionInfo | null;
    };

/** Codes of failures without a code of JSON-RPC or HTTP. */
const ERROR_CODES: Record<FailureKind, string> = {
  transport: 'connection_failed',
  timeout: 'timeout',
  protocol: 'protocol_error',
  other: 'call_failed',
};

const OUTCOME_UNKNOWN =
  'The outcome of the call is unknown; the tool does not declare that repeating it is safe.';

function outcomeOf(tried: Attempt, timeoutMs: number, mayHaveActed: boolean): CallOutcome {
  if (tried.kind === 'answer') return tried;
  // Names the whole time limit, because the shorter limit of a retry would mislead the reader.
  const isShortened = tried.error instanceof McpTimeoutError && tried.error.limitMs < timeoutMs;
  const failure = isShortened ? new McpTimeoutError(timeoutMs).message : tried.failure;
  const outcomeUnknown = mayHaveActed || (tried.sent && tried.kind === 'timeout');
  return {
    kind: 'failure',
    failure: mayHaveActed ? `${failure}. ${OUTCOME_UNKNOWN}` : failure,
    outcomeUnknown,
    errorCode: refusalOf(tried.error)?.code.replace(/^\S+ /, '') ?? ERROR_CODES[tried.kind],
    session: tried.session,
  };
}

async function attempt(call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  const started = performance.now();
  let session: McpSession | null = null;
  try {
    session = await withDeadline(timeoutMs, signal, () => call.connection.session());
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const tool = { name: call.known.tool, inputSchema: call.known.definition.inputSchema };
    const options = { timeoutMs: left, signal, traceparent: call.traceparent };
    const result = await session.callTool(tool, call.parameters, options);
    return { kind: 'answer', result, session: session.info() };
  } catch (error) {
    signal.throwIfAborted();
    const kind = classifyFailure(error, session?.isClosed() ?? false);
    if (kind === 'transport' && session !== null) call.connection.discard(session);
    return {
      kind,
      failure: describeFailure(error),
      sent: session !== null && !wasNeverSent(error),
      error,
      session: session?.info() ?? null,
    };
  }
}
