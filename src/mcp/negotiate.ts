import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { connectSession, type McpSession, type OpenSessionOptions } from './client.ts';
import { McpTimeoutError } from './errors.ts';
import { describeFailure } from './failures.ts';
import type { McpServerSettings } from './types.ts';

/** Time after which a server that has not answered for the newer protocol is asked for the older one too (ms). */
const PROBE_ALONE_MS = 5_000;
/** The same time as a share of the connect timeout. The shorter of both applies. */
const PROBE_ALONE_SHARE = 0.25;

/** Connects to a server. Leaves nothing running if it throws McpTimeoutError, McpConnectionError or signal's reason. */
export function openSession(settings: McpServerSettings, options: OpenSessionOptions): Promise<McpSession> {
  if (options.era === 'legacy') return connectSession(settings, 'legacy', options);
  if (settings.transport.type === 'http') return openEither(settings, options);
  return openOlderFirst(settings, options);
}

/** Asks for the older protocol first, because all known servers over stdio and SSE have it. */
async function openOlderFirst(settings: McpServerSettings, options: OpenSessionOptions): Promise<McpSession> {
  const started = performance.now();
  try {
    return await connectSession(settings, 'legacy', options);
  } catch (error) {
    const timeoutMs = options.timeoutMs - (performance.now() - started);
    if (!isRefusal(error) || timeoutMs <= 0) throw error;
    // Throws the first refusal, because the second only says that the server has no newer protocol.
    return connectSession(settings, 'auto', { ...options, timeoutMs }).catch((other: unknown) => {
      options.signal?.throwIfAborted();
      throw other instanceof McpTimeoutError ? other : error;
    });
  }
}

/**
 * Asks for the newer protocol and, if the server refuses that or takes long, also for the older one. The first session
 * that opens is used, because a silent server may be slow or may ignore unknown requests.
 */
async function openEither(settings: McpServerSettings, options: OpenSessionOptions): Promise<McpSession> {
  const started = performance.now();
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const newer = connectSession(settings, 'auto', { ...options, signal });
  const alone = Promise.withResolvers<void>();
  const limit = Math.min(options.timeoutMs * PROBE_ALONE_SHARE, PROBE_ALONE_MS);
  const timer = setTimeout(alone.resolve, limit);
  const settled = newer.then(
    () => false,
    (error: unknown) => isProbeFailure(error) && options.signal?.aborted !== true,
  );
  const isOlderWanted = await Promise.race([settled, alone.promise.then(() => true)]);
  clearTimeout(timer);
  if (!isOlderWanted) return newer;
  const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - started));
  const older = connectSession(settings, 'legacy', { ...options, signal, timeoutMs });
  const attempts = [newer, older];
  const session = await Promise.any(attempts).catch(() => null);
  stop.abort(new Error('another session is used')); // a stopped attempt leaves nothing running
  const ends = await Promise.allSettled(attempts);
  if (session !== null) return session;
  options.signal?.throwIfAborted();
  const [first, second] = ends.map((end) => (end.status === 'rejected' ? end.reason : null));
  throw reasonOf(first, second, options.timeoutMs);
}

/** True if the server answered the request for the newer protocol, but not as either protocol says. */
function isProbeFailure(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

/** True if a server refused the older protocol with a code of JSON-RPC, which a server of the newer one may do. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError && error.code <= -32_000 && error.code >= -32_768;
}

/** Returns the reason of two failed attempts. */
function reasonOf(newer: unknown, older: unknown, timeoutMs: number): unknown {
  if (older instanceof McpTimeoutError) return new McpTimeoutError(timeoutMs);
  if (!(newer instanceof McpTimeoutError)) return older;
  return new McpTimeoutError(
    timeoutMs,
    `; asked for the older protocol, it answered: ${describeFailure(older)}`,
  );
}
