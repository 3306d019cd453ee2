import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { KnownTool } from './catalogue.ts';
import type { McpSession } from './client.ts';
import type { McpConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import { McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, isAway, isBroken, retryDelayMs, wasNotSent } from './failures.ts';
import type { RawToolResult } from './results.ts';

export interface ToolCall {
  connection: McpConnection;
  known: KnownTool;
  parameters: Record<string, unknown>;
  logger: Logger;
}

/** The server's answer, or why there is none, in words. */
export type CallOutcome =
  | { result: RawToolResult; failure: null }
  /** `isUnknown`: it may have reached the tool. */
  | { result: null; failure: string; isUnknown: boolean };

/** How long a server that is reached over the network may be away, as one that is restarted is, before a call fails. */
const BRIDGE_MS = 30_000;

/**
 * Calls a tool within `timeoutMs`, more when it reports progress. A call that never left is made again, whatever the
 * tool; one that may have reached it once more, when the tool declares that this is safe, or when its server declares
 * nothing of any tool and the connection broke. A server over HTTP that is away is tried again for BRIDGE_MS, any other
 * once. Throws only the signal's reason.
 */
export async function callWithRetry(
  call: ToolCall,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const started = performance.now();
  const { repeatable, toolClass, ask } = call.known.definition;
  const bridgedUntil = started + Math.min(timeoutMs, call.connection.isRemote ? BRIDGE_MS : 0);
  let mayHaveActed = false;
  for (let tries = 1; ; tries += 1) {
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const tried = await attempt(call, left, signal);
    if (tried.kind !== 'transport') return tell(tried, timeoutMs, mayHaveActed);
    if (tried.sent && !repeatable) {
      const isOnceMore = !mayHaveActed && ask === null && toolClass === 'undeclared' && isBroken(tried.error);
      mayHaveActed = true;
      if (!isOnceMore) return tell(tried, timeoutMs, mayHaveActed);
    }
    const pause = retryDelayMs();
    const resumed = performance.now() + pause;
    // What breaks again although the server is there breaks each time.
    const isAwayStill = !tried.sent && isAway(tried.error) && resumed < bridgedUntil;
    const isWorthIt = tries === 1 ? resumed < started + timeoutMs : isAwayStill;
    if (!isWorthIt) return tell(tried, timeoutMs, mayHaveActed);
    call.logger.info('MCP call is tried again on a new session');
    await delay(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

type Attempt =
  | { kind: 'answer'; result: RawToolResult }
  /** `sent`: the call may have reached the tool. */
  | { kind: 'transport' | 'timeout' | 'protocol' | 'other'; failure: string; sent: boolean; error: unknown };

const OUTCOME_UNKNOWN =
  'Whether the call took effect is not known; the tool does not declare that repeating it is safe.';

function tell(tried: Attempt, timeoutMs: number, mayHaveActed: boolean): CallOutcome {
  if (tried.kind === 'answer') return { result: tried.result, failure: null };
  // The time left for a retry means nothing to the reader.
  const isShortened = tried.error instanceof McpTimeoutError && tried.error.limitMs < timeoutMs;
  const failure = isShortened ? new McpTimeoutError(timeoutMs).message : tried.failure;
  const isUnknown = mayHaveActed || (tried.sent && tried.kind === 'timeout');
  return { result: null, failure: mayHaveActed ? `${failure}. ${OUTCOME_UNKNOWN}` : failure, isUnknown };
}

async function attempt(call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  const started = performance.now();
  let session: McpSession | null = null;
  try {
    session = await withDeadline(timeoutMs, signal, () => call.connection.session());
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const tool = { name: call.known.tool, inputSchema: call.known.definition.inputSchema };
    return { kind: 'answer', result: await session.callTool(tool, call.parameters, left, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const kind = classifyFailure(error, session?.closed() ?? false);
    if (kind === 'transport' && session !== null) call.connection.discard(session);
    return { kind, failure: describeFailure(error), sent: session !== null && !wasNotSent(error), error };
  }
}
