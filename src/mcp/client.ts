import { Client, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { withDeadline } from './deadline.ts';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, isLostSession } from './failures.ts';
import { headersOf } from './header-params.ts';
import { listAll } from './list-tools.ts';
import type { ListedTool } from './listed-tool.ts';
import { type RawToolResult, rawToolResult } from './results.ts';
import { createTransport, type McpTransport } from './transports.ts';
import type { McpServerSettings } from './types.ts';

/** One connection to one server, from its handshake to its end. */
export interface McpSession {
  /** The protocol before or since 2026-07-28. */
  era: 'legacy' | 'modern';
  /** Whether the connection has ended or is being ended, by whoever. */
  closed(): boolean;
  /** Whether it lives, nothing is under way, and no request so far failed, ran out of time or was broken off. */
  isSound(): boolean;
  /** Who is told, at most a few times a second, that the server's tools are others now; null: nobody. */
  onToolsChanged(listener: (() => void) | null): void;
  /** The tools that the server names, their names unchecked; bounded in pages, number and size. */
  listTools(timeoutMs: number, signal?: AbortSignal): Promise<ListedTool[]>;
  /** What was listed within this time (ms), unless the server said since that it has changed; null: nothing. */
  listedWithin(ms: number): ListedTool[] | null;
  /** Progress that the server tells of begins the time anew, up to PROGRESS_FACTOR times as much in all. */
  callTool(
    tool: Pick<ListedTool, 'name' | 'inputSchema'>,
    args: Record<string, unknown>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<RawToolResult>;
  /** Ends the connection; a child process is gone when it returns. May be called again. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Known from an earlier session: a server of the older protocol is not asked for the newer one. */
  era?: McpSession['era'] | undefined;
  /** Whether the server shall tell when its tools change. */
  hearsOfTools?: boolean;
}

/** Lines on the wire that are no messages are worth a look, not a log full. */
const MAX_LOGGED_ERRORS = 20;
const FAREWELL_TIMEOUT_MS = 1_000;
/** Of the time to connect, what asking for the version may take: a server that does not answer it may be old. */
const PROBE_SHARE = 0.25;
const PROBE_TIMEOUT_MS = 5_000;
/** Our own deadlines decide; the SDK's, 60 s unless given, must not come first. */
const SDK_TIMEOUT_MARGIN_MS = 5_000;
/** A list that changes several times at once is read once. */
const TOOLS_CHANGED_DEBOUNCE_MS = 200;
/** A call that reports progress may take this many times its limit. */
const PROGRESS_FACTOR = 5;

/**
 * Connects to a server. Throws McpTimeoutError, McpConnectionError with the reason, or the signal's reason; nothing is
 * left running then.
 */
export async function openSession(
  settings: McpServerSettings,
  logger: Logger,
  timeoutMs: number,
  signal?: AbortSignal,
  options: SessionOptions = {},
): Promise<McpSession> {
  // Over the other transports no server is known that lacks the handshake of 2025; over HTTP the SDK asks first.
  if (settings.transport.type !== 'http' || options.era === 'legacy')
    return open(settings, logger, 'legacy', timeoutMs, signal, options);
  const started = performance.now();
  try {
    return await open(settings, logger, 'auto', timeoutMs, signal, options);
  } catch (error) {
    const left = timeoutMs - (performance.now() - started);
    if (!isUnanswered(error) || left <= 0) throw error;
    return open(settings, logger, 'legacy', left, signal, options);
  }
}

/** Whether all that failed is asking for the version: an old server need not know the question. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof SdkError)) return false;
  if (error instanceof SdkHttpError) return error.code === SdkErrorCode.EraNegotiationFailed;
  return error.code === SdkErrorCode.RequestTimeout;
}

async function open(
  settings: McpServerSettings,
  logger: Logger,
  mode: 'auto' | 'legacy',
  timeoutMs: number,
  signal: AbortSignal | undefined,
  { hearsOfTools = false }: SessionOptions,
): Promise<McpSession> {
  const connection = createTransport(settings.transport, (line) =>
    logger.debug({ line }, 'MCP server stderr'),
  );
  const probe = { timeoutMs: Math.min(timeoutMs * PROBE_SHARE, PROBE_TIMEOUT_MS) };
  const heard: { toolsChanged: (() => void) | null } = { toolsChanged: null };
  let recent: { tools: ListedTool[]; at: number } | null = null;
  let changes = 0;
  const onChanged = () => {
    recent = null;
    changes += 1;
    heard.toolsChanged?.();
  };
  const tools = { autoRefresh: false, debounceMs: TOOLS_CHANGED_DEBOUNCE_MS, onChanged };
  const client = new Client(
    { name: 'tarsy', version: '1.0.0' },
    { versionNegotiation: { mode, probe }, ...(hearsOfTools ? { listChanged: { tools } } : {}) },
  );
  let closed = false;
  let errors = 0;
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {}); // heard while connecting only
  client.onclose = () => {
    closed = true;
    if (connection.endReason() !== null) ended.reject(new McpConnectionError('the connection was closed'));
  };
  client.onerror = (error) => {
    errors += 1;
    if (errors <= MAX_LOGGED_ERRORS)
      logger.debug({ reason: error.message.slice(0, 500) }, 'MCP connection error');
  };
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= closeConnection(client, connection, closed);
    return closing;
  };
  try {
    await withDeadline(timeoutMs, signal, (deadline) =>
      // A connection that we end ourselves while it is made is not told of by all transports.
      Promise.race([
        client.connect(connection.transport, {
          signal: deadline,
          timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS,
        }),
        ended.promise,
      ]),
    );
  } catch (error) {
    // Asked before it is closed, which would look like a reason of its own.
    const explained =
      error instanceof McpTimeoutError
        ? new McpTimeoutError(error.limitMs, connection.lastWords())
        : await explain(error, connection, closed);
    await close();
    signal?.throwIfAborted();
    throw explained;
  }
  const session = createSession(client, connection, logger, () => closed || closing !== null, close);
  return {
    ...session,
    async listTools(...limits) {
      const [at, before] = [performance.now(), changes];
      const tools = await session.listTools(...limits);
      if (changes === before) recent = { tools, at };
      return tools;
    },
    listedWithin: (ms) => (recent !== null && performance.now() - recent.at < ms ? recent.tools : null),
    onToolsChanged(listener) {
      heard.toolsChanged = listener;
    },
  };
}

function createSession(
  client: Client,
  connection: McpTransport,
  logger: Logger,
  closed: () => boolean,
  close: () => Promise<void>,
): Omit<McpSession, 'listedWithin' | 'onToolsChanged'> {
  let underWay = 0;
  let hasFailed = false;
  /** One request under a deadline, its failure explained. */
  const ask = async <T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (s: AbortSignal, again: () => void) => Promise<T>,
    longestMs?: number,
  ) => {
    underWay += 1;
    try {
      return await withDeadline(timeoutMs, signal, work, longestMs);
    } catch (error) {
      hasFailed ||= classifyFailure(error, closed()) !== 'protocol';
      signal?.throwIfAborted();
      throw await explain(error, connection, closed());
    } finally {
      underWay -= 1;
    }
  };
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  return {
    era,
    closed,
    isSound: () => !closed() && underWay === 0 && !hasFailed,
    close,
    listTools: (timeoutMs, signal) =>
      ask(timeoutMs, signal, (deadline) =>
        listAll(client, logger, { signal: deadline, timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS }),
      ),
    callTool: ({ name, inputSchema }, args, timeoutMs, signal) =>
      ask(
        timeoutMs,
        signal,
        (deadline, again) =>
          client.request({ method: 'tools/call', params: { name, arguments: args } }, rawToolResult, {
            signal: deadline,
            timeout: timeoutMs * PROGRESS_FACTOR + SDK_TIMEOUT_MARGIN_MS,
            onprogress: again,
            ...(era === 'modern' ? { headers: headersOf(inputSchema, args) } : {}),
          }),
        timeoutMs * PROGRESS_FACTOR,
      ),
  };
}

async function closeConnection(client: Client, connection: McpTransport, closed: boolean): Promise<void> {
  if (!closed) {
    // A server that does not take a farewell is left without one.
    await withDeadline(FAREWELL_TIMEOUT_MS, undefined, () => connection.farewell()).catch(() => {});
  }
  await client.close();
  // The client forgets a transport whose connection has ended or never came to be; it may still have a process.
  await connection.transport.close();
}

/** Names the reason of an end where the transport knows it: "the server exited with code 1" rather than "closed". */
async function explain(error: unknown, connection: McpTransport, closed: boolean): Promise<unknown> {
  if (connection.keepsSession() && isLostSession(error)) {
    const message = `${describeFailure(error)}: the server does not know the session any more`;
    return new McpConnectionError(message, { cause: error });
  }
  if (classifyFailure(error, closed) !== 'transport') return error;
  await connection.ending();
  const reason = (connection.endReason() ?? describeFailure(error)) + connection.lastWords();
  return new McpConnectionError(reason, { cause: error, isOurs: connection.isCutOff() });
}
