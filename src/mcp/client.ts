import { Client, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { withDeadline } from './deadline.ts';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, isSessionUnknown } from './failures.ts';
import { parameterHeaders } from './header-params.ts';
import { listAllTools } from './list-tools.ts';
import { type RawToolResult, rawToolResult } from './results.ts';
import { createTransport, type McpTransport } from './transports.ts';
import type { ListedTool, McpServerSettings } from './types.ts';

/** A session with one server, from the handshake to the end of the connection. */
export interface McpSession {
  /** Protocol generation: `legacy` before revision 2026-07-28, `modern` since then. */
  era: 'legacy' | 'modern';
  isClosed(): boolean;
  /** True if the session is live, no request is running, and none has failed, timed out or been aborted. */
  isReusable(): boolean;
  /** Sets the listener for changes of the server's tools, called a few times a second at most; `null` removes it. */
  onToolsChanged(listener: (() => void) | null): void;
  /** Lists the server's tools with unchecked names. Limits the number of pages and tools, and their sizes. */
  listTools(timeoutMs: number, signal?: AbortSignal): Promise<ListedTool[]>;
  /** Returns the last listing if it is younger than `maxAgeMs` and the server reported no change since; else `null`. */
  recentTools(maxAgeMs: number): ListedTool[] | null;
  /** Calls a tool. Each progress report restarts the time limit, up to PROGRESS_FACTOR times `timeoutMs` in total. */
  callTool(
    tool: Pick<ListedTool, 'name' | 'inputSchema'>,
    args: Record<string, unknown>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<RawToolResult>;
  close(): Promise<void>;
}

export interface OpenSessionOptions {
  logger: Logger;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Protocol era of an earlier session. After `legacy`, the server is not probed for the newer protocol again. */
  era?: McpSession['era'] | undefined;
  notifyToolChanges?: boolean;
}

const MAX_LOGGED_ERRORS = 20;
/** Time limit of telling an HTTP server that its session ends (ms). */
const TERMINATE_TIMEOUT_MS = 1_000;
/** Share of the connect time that the version probe may take. Small, because an old server may not answer the probe. */
const PROBE_SHARE = 0.25;
const PROBE_TIMEOUT_MS = 5_000;
/** Added to our time limits for the SDK's timeouts (ms), so that ours expire first. The SDK's default is 60 s. */
const SDK_TIMEOUT_MARGIN_MS = 5_000;
/** Tool changes within this time (ms) cause only one notification. */
const TOOLS_CHANGED_DEBOUNCE_MS = 200;
/** Maximum total time of a call that reports progress, as a multiple of its time limit. */
const PROGRESS_FACTOR = 5;

/** Connects to a server. Leaves nothing running if it throws McpTimeoutError, McpConnectionError or signal's reason. */
export async function openSession(
  settings: McpServerSettings,
  options: OpenSessionOptions,
): Promise<McpSession> {
  // Probes only over HTTP, because all known servers over stdio and SSE support the handshake of 2025.
  if (settings.transport.type !== 'http' || options.era === 'legacy')
    return open(settings, 'legacy', options);
  const started = performance.now();
  try {
    return await open(settings, 'auto', options);
  } catch (error) {
    const left = options.timeoutMs - (performance.now() - started);
    if (!isProbeFailure(error) || left <= 0) throw error;
    return open(settings, 'legacy', { ...options, timeoutMs: left });
  }
}

function isProbeFailure(error: unknown): boolean {
  if (!(error instanceof SdkError)) return false;
  if (error instanceof SdkHttpError) return error.code === SdkErrorCode.EraNegotiationFailed;
  return error.code === SdkErrorCode.RequestTimeout;
}

async function open(
  settings: McpServerSettings,
  mode: 'auto' | 'legacy',
  { logger, timeoutMs, signal, notifyToolChanges = false }: OpenSessionOptions,
): Promise<McpSession> {
  const connection = createTransport(settings.transport, (line) =>
    logger.debug({ line }, 'MCP server stderr'),
  );
  const probe = { timeoutMs: Math.min(timeoutMs * PROBE_SHARE, PROBE_TIMEOUT_MS) };
  let toolsListener: (() => void) | null = null;
  let recent: { tools: ListedTool[]; at: number } | null = null;
  let changes = 0;
  const onChanged = () => {
    recent = null;
    changes += 1;
    toolsListener?.();
  };
  const tools = { autoRefresh: false, debounceMs: TOOLS_CHANGED_DEBOUNCE_MS, onChanged };
  const client = new Client(
    { name: 'tarsy', version: '1.0.0' },
    { versionNegotiation: { mode, probe }, ...(notifyToolChanges ? { listChanged: { tools } } : {}) },
  );
  let closed = false;
  let errors = 0;
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {}); // avoids an unhandled rejection if the connection closes later
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
      // Also waits for `ended`, because some transports do not reject `connect` when this client disconnects.
      Promise.race([
        client.connect(connection.transport, {
          signal: deadline,
          timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS,
        }),
        ended.promise,
      ]),
    );
  } catch (error) {
    // Reads the reason before closing, because closing would set a reason of its own.
    const explained =
      error instanceof McpTimeoutError
        ? new McpTimeoutError(error.limitMs, connection.lastStderr())
        : await explain(error, connection, closed);
    await close();
    signal?.throwIfAborted();
    throw explained;
  }
  const isClosed = () => closed || closing !== null;
  const requests = createRequests(client, connection, logger, isClosed);
  return {
    ...requests,
    isClosed,
    close,
    async listTools(...limits) {
      const [at, before] = [performance.now(), changes];
      const tools = await requests.listTools(...limits);
      if (changes === before) recent = { tools, at };
      return tools;
    },
    recentTools: (maxAgeMs) =>
      recent !== null && performance.now() - recent.at < maxAgeMs ? recent.tools : null,
    onToolsChanged(listener) {
      toolsListener = listener;
    },
  };
}

function createRequests(
  client: Client,
  connection: McpTransport,
  logger: Logger,
  isClosed: () => boolean,
): Pick<McpSession, 'era' | 'isReusable' | 'listTools' | 'callTool'> {
  let running = 0;
  let hasFailed = false;
  const send = async <T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (deadline: AbortSignal, restart: () => void) => Promise<T>,
    maxMs?: number,
  ) => {
    running += 1;
    try {
      return await withDeadline(timeoutMs, signal, work, maxMs);
    } catch (error) {
      hasFailed ||= classifyFailure(error, isClosed()) !== 'protocol';
      signal?.throwIfAborted();
      throw await explain(error, connection, isClosed());
    } finally {
      running -= 1;
    }
  };
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  return {
    era,
    isReusable: () => !isClosed() && running === 0 && !hasFailed,
    listTools: (timeoutMs, signal) =>
      send(timeoutMs, signal, (deadline) =>
        listAllTools(client, logger, { signal: deadline, timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS }),
      ),
    callTool: ({ name, inputSchema }, args, timeoutMs, signal) =>
      send(
        timeoutMs,
        signal,
        (deadline, restart) =>
          client.request({ method: 'tools/call', params: { name, arguments: args } }, rawToolResult, {
            signal: deadline,
            timeout: timeoutMs * PROGRESS_FACTOR + SDK_TIMEOUT_MARGIN_MS,
            onprogress: restart,
            ...(era === 'modern' ? { headers: parameterHeaders(inputSchema, args) } : {}),
          }),
        timeoutMs * PROGRESS_FACTOR,
      ),
  };
}

async function closeConnection(client: Client, connection: McpTransport, closed: boolean): Promise<void> {
  if (!closed) {
    await withDeadline(TERMINATE_TIMEOUT_MS, undefined, () => connection.terminateServerSession()).catch(
      () => {},
    );
  }
  await client.close();
  // Also closes the transport, because an unconnected client does not, although a process may still run.
  await connection.transport.close();
}

/** Returns an error with the transport's reason, such as "the server exited with code 1" instead of "closed". */
async function explain(error: unknown, connection: McpTransport, closed: boolean): Promise<unknown> {
  if (connection.hasServerSession() && isSessionUnknown(error)) {
    const message = `${describeFailure(error)}: the server does not know the session any more`;
    return new McpConnectionError(message, { cause: error });
  }
  if (classifyFailure(error, closed) !== 'transport') return error;
  await connection.waitForEndReason();
  const reason = (connection.endReason() ?? describeFailure(error)) + connection.lastStderr();
  return new McpConnectionError(reason, { cause: error, endedByClient: connection.wasEndedByClient() });
}
