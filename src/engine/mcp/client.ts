import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Logger } from 'pino';
import { z } from 'zod';
import { withDeadline } from './deadline.ts';
import { McpConnectionError } from './errors.ts';
import { type ListedTool, readListedTool } from './listed-tool.ts';
import { classifyFailure, describeFailure } from './recovery.ts';
import { type RawToolResult, rawToolResult } from './results.ts';
import { createTransport, type McpTransport } from './transports.ts';
import type { McpServerSettings } from './types.ts';

/** One connection to one server, from its handshake to its end. */
export interface McpSession {
  /** Whether the connection has ended or is being ended, by whoever. */
  closed(): boolean;
  /** The tools that the server names, their names unchecked; bounded in pages, number and size. */
  listTools(timeoutMs: number, signal?: AbortSignal): Promise<ListedTool[]>;
  callTool(
    tool: string,
    args: Record<string, unknown>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<RawToolResult>;
  /** Ends the connection; a child process is gone when it returns. May be called again. */
  close(): Promise<void>;
}

const MAX_PAGES = 50;
const MAX_TOOLS_OF_A_SERVER = 1_000;
/** Lines on the wire that are no messages are worth a look, not a log full. */
const MAX_LOGGED_ERRORS = 20;
const FAREWELL_TIMEOUT_MS = 1_000;
/** Our own deadlines decide; the SDK's, 60 s unless given, must not come first. */
const SDK_TIMEOUT_MARGIN_MS = 5_000;

/** Laxer than the protocol's schema: one broken tool must not hide the others. */
const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Connects to a server. Throws McpTimeoutError, McpConnectionError with the reason, or the signal's reason; nothing is
 * left running then.
 */
export async function openSession(
  settings: McpServerSettings,
  logger: Logger,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<McpSession> {
  const connection = createTransport(settings.transport, (line) =>
    logger.debug({ line }, 'MCP server stderr'),
  );
  const client = new Client({ name: 'tarsy', version: '1.0.0' });
  let closed = false;
  let errors = 0;
  client.onclose = () => {
    closed = true;
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
      client.connect(connection.transport, { signal: deadline, timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS }),
    );
  } catch (error) {
    // Asked before it is closed, which would look like a reason of its own.
    const explained = explain(error, connection, closed);
    await close();
    signal?.throwIfAborted();
    throw explained;
  }
  return createSession(client, connection, () => closed || closing !== null, close);
}

function createSession(
  client: Client,
  connection: McpTransport,
  closed: () => boolean,
  close: () => Promise<void>,
): McpSession {
  /** One request under a deadline, its failure explained. */
  const ask = async <T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (s: AbortSignal) => Promise<T>,
  ) => {
    try {
      return await withDeadline(timeoutMs, signal, work);
    } catch (error) {
      signal?.throwIfAborted();
      throw explain(error, connection, closed());
    }
  };
  return {
    closed,
    close,
    listTools: (timeoutMs, signal) =>
      ask(timeoutMs, signal, (deadline) => listAll(client, timeoutMs, deadline)),
    callTool: (tool, args, timeoutMs, signal) =>
      ask(timeoutMs, signal, (deadline) =>
        client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, rawToolResult, {
          signal: deadline,
          timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS,
        }),
      ),
  };
}

/** Goes through the pages; the SDK's own listTools would compile schemas that nobody has checked. */
async function listAll(client: Client, timeoutMs: number, signal: AbortSignal): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS_OF_A_SERVER; page += 1) {
    const request = {
      method: 'tools/list' as const,
      ...(cursor === undefined ? {} : { params: { cursor } }),
    };
    const answer = await client.request(request, toolsPage, {
      signal,
      timeout: timeoutMs + SDK_TIMEOUT_MARGIN_MS,
    });
    // Read page by page, so that no more than their bounded forms is ever kept.
    for (const raw of answer.tools.slice(0, MAX_TOOLS_OF_A_SERVER - tools.length)) {
      const tool = readListedTool(raw);
      if (tool !== null) tools.push(tool);
    }
    cursor = answer.nextCursor;
    // A cursor that comes again would go on for ever.
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return tools;
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
function explain(error: unknown, connection: McpTransport, closed: boolean): unknown {
  if (classifyFailure(error, closed) !== 'transport') return error;
  return new McpConnectionError(connection.endReason() ?? describeFailure(error), { cause: error });
}
