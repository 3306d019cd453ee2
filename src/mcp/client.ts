import { Client } from '@modelcontextprotocol/client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { withDeadline } from './deadline.ts';
import { McpConnectionError, McpTimeoutError } from './errors.ts';
import { classifyFailure, describeFailure, refusalOf } from './failures.ts';
import { parameterHeaders } from './header-params.ts';
import { listAllTools } from './list-tools.ts';
import { type RawToolResult, rawToolResult } from './results.ts';
import { createTransport, type McpTransport } from './transports.ts';
import type { ListedTool, McpServerSettings, McpSessionInfo, ToolCallOptions } from './types.ts';

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
    options: Pick<ToolCallOptions, 'timeoutMs' | 'signal' | 'traceparent'>,
  ): Promise<RawToolResult>;
  info(): McpSessionInfo;
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
/** Time limit of the request that ends an HTTP server's session (ms). */
const TERMINATE_TIMEOUT_MS = 1_000;
/** Margin of the SDK's timeouts over this client's own (ms), so that the own ones expire first. The SDK's default: 60 s. */
const SDK_TIMEOUT_MARGIN_MS = 5_000;
/** Tool changes within this time (ms) cause only one notification. */
const TOOLS_CHANGED_DEBOUNCE_MS = 200;
/** Time limit of the check whether the server lost the session (ms), because a call waits for the check. */
const LOST_CHECK_MS = 3_000;
/** Maximum total time of a call that reports progress, as a multiple of its time limit. */
const PROGRESS_FACTOR = 5;

/**
 * Connects to a server. Leaves nothing running if it throws.
 * @param mode `auto` asks the server for the newer protocol first, for as long as `timeoutMs`
 * @throws McpTimeoutError, McpConnectionError, signal's reason or an error of the SDK
 */
export async function connectSession(
  settings: McpServerSettings,
  mode: 'auto' | 'legacy',
  { logger, timeoutMs, signal, notifyToolChanges = false }: OpenSessionOptions,
): Promise<McpSession> {
  const connection = createTransport(settings.transport, (line) =>
    logger.debug({ line }, 'MCP server stderr'),
  );
  const probe = { timeoutMs: timeoutMs + SDK_TIMEOUT_MARGIN_MS };
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
    if (connection.end() !== null) ended.reject(new McpConnectionError('the connection was closed'));
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
        ? new McpTimeoutError(error.limitMs, connection.lastWords())
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
    info: () => ({
      transport: settings.transport.type,
      url: settings.transport.type === 'stdio' ? null : settings.transport.url,
      sessionId: connection.transport.sessionId ?? null,
      protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    }),
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
  let hasAnswered = false;
  const send = async <T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (deadline: AbortSignal, restart: () => void) => Promise<T>,
    maxMs?: number,
  ) => {
    running += 1;
    try {
      const answer = await withDeadline(timeoutMs, signal, work, maxMs);
      hasAnswered = true;
      return answer;
    } catch (error) {
      hasFailed ||= classifyFailure(error, isClosed()) !== 'protocol';
      signal?.throwIfAborted();
      throw await explain(error, connection, isClosed());
    } finally {
      running -= 1;
    }
  };
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  /**
   * True if the server refuses its tool list with the same code as a call. Then it refuses the session, not the tool.
   */
  const refusesAll = async (refused: unknown, timeoutMs: number, signal: AbortSignal): Promise<boolean> => {
    const refusal = refusalOf(refused);
    if (refusal === null) return false;
    const list = (deadline: AbortSignal) =>
      client.request({ method: 'tools/list' }, z.looseObject({}), { signal: deadline });
    const listed = await send(timeoutMs, signal, list).catch((error: unknown) => refusalOf(error));
    signal.throwIfAborted();
    return listed !== null && 'code' in listed && listed.code === refusal.code;
  };
  return {
    era,
    isReusable: () => !isClosed() && running === 0 && !hasFailed,
    listTools: (timeoutMs, signal) =>
      send(timeoutMs, signal, (deadline) =>
        listAllTools(client, logger, { signal: deadline, timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS }),
      ),
    async callTool({ name, inputSchema }, args, { timeoutMs, signal, traceparent = null }) {
      const [started, isProven] = [performance.now(), hasAnswered];
      // Over HTTP, the header joins the request's own spans; the member of `_meta` works over every transport.
      const trace = traceparent === null ? {} : { traceparent };
      const params = { name, arguments: args, ...(traceparent !== null && { _meta: trace }) };
      const request = { method: 'tools/call' as const, params };
      const headers = { ...(era === 'modern' && parameterHeaders(inputSchema, args)), ...trace };
      const call = (deadline: AbortSignal, restart: () => void) =>
        client.request(request, rawToolResult, {
          signal: deadline,
          timeout: timeoutMs * PROGRESS_FACTOR + SDK_TIMEOUT_MARGIN_MS,
          onprogress: restart,
          ...(Object.keys(headers).length > 0 && { headers }),
        });
      try {
        return await send(timeoutMs, signal, call, timeoutMs * PROGRESS_FACTOR);
      } catch (error) {
        const left = timeoutMs - (performance.now() - started);
        const isLost =
          isProven && left > 0 && (await refusesAll(error, Math.min(left, LOST_CHECK_MS), signal));
        throw isLost ? sessionLost(error) : error;
      }
    },
  };
}

/** Returns the error of a call that was refused because the server lost the session. */
function sessionLost(refused: unknown): McpConnectionError {
  const message = `${describeFailure(refused)}: the server does not know the session any more`;
  return new McpConnectionError(message, { cause: refused, neverSent: !refusalOf(refused)?.mayBeInternal });
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
  if (classifyFailure(error, closed) !== 'transport') return error;
  await connection.waitForEnd();
  const {
    reason,
    byClient,
    cause = error,
  } = connection.end() ?? {
    reason: describeFailure(error),
    byClient: false,
  };
  return new McpConnectionError(reason + connection.lastWords(), { cause, endedByClient: byClient });
}
