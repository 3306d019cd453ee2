import type { Logger } from 'pino';
import { callWithRetry } from './call.ts';
import { buildCatalogue, type KnownTool } from './catalogue.ts';
import { connect, type McpConnection } from './connection.ts';
import { hideCredentials } from './credentials.ts';
import type { ListedTool } from './listed-tool.ts';
import { parseArguments } from './parameters.ts';
import { describeFailure } from './recovery.ts';
import { resultText } from './results.ts';
import { cutText, storable } from './text.ts';
import { STANDARD_RULES } from './tool-class.ts';
import { canonicalName, parseToolName, toFunctionName } from './tool-names.ts';
import type { LeftOutTool, ToolCallRequest, ToolExecutor, ToolExecutorDeps, ToolResult } from './types.ts';
import { unknownToolMessage } from './unknown-tool.ts';

/** What a server's text becomes when masking fails: rather nothing than a secret. */
const WITHHELD = '[the result is withheld: masking it failed]';

/** Of the reason why a server is not there; it holds the last lines that the server wrote. */
const MAX_REASON_CHARACTERS = 600;

interface ConnectedServer {
  name: string;
  wanted: readonly string[] | null;
  connection: McpConnection;
  listed: ListedTool[];
}

/**
 * Connects to the selected servers, all at once, and offers their tools. Servers that cannot be reached are recorded,
 * not fatal. Throws only `deps.signal.reason` when aborted; nothing is left running then. The caller must close it.
 */
export async function createToolExecutor(deps: ToolExecutorDeps): Promise<ToolExecutor> {
  const { limits, logger } = deps;
  deps.signal?.throwIfAborted();
  const lifetime = new AbortController();
  const cancel = () => lifetime.abort(deps.signal?.reason);
  deps.signal?.addEventListener('abort', cancel, { once: true });
  const unavailable = new Map<string, string>();
  let connected: ConnectedServer[];
  try {
    connected = await connectAll(deps, lifetime.signal, unavailable);
  } finally {
    deps.signal?.removeEventListener('abort', cancel);
  }
  let closing: Promise<void> | null = null;
  const close = () => {
    lifetime.abort(new Error('the tool executor is closed'));
    closing ??= Promise.all(connected.map((server) => server.connection.close())).then(() => {});
    return closing;
  };
  if (deps.signal?.aborted) {
    await close();
    throw deps.signal.reason;
  }
  const rulesOf = (server: string) => deps.servers.get(server)?.rules ?? STANDARD_RULES;
  const { tools: catalogue, leftOut } = buildCatalogue(
    connected.map(({ name, wanted, listed }) => ({ server: name, wanted, listed, rules: rulesOf(name) })),
    limits.maxTools,
    logger,
  );
  for (const { name, wanted } of connected) {
    const hasOne = [...catalogue.values()].some(({ server }) => server === name);
    if (wanted !== null && !hasOne) unavailable.set(name, 'it has none of the tools that the alert chose');
  }
  const connections = new Map(connected.map(({ name, connection }) => [name, connection]));
  const tools = [...catalogue.values()].map((tool) => tool.definition);
  return {
    listTools: async (signal) => {
      signal?.throwIfAborted();
      return tools;
    },
    execute: (call, options) =>
      execute({ deps, catalogue, leftOut, connections, unavailable }, call, options),
    leftOutTools: () => leftOut,
    unavailableServers: () => unavailable,
    close,
  };
}

async function connectAll(
  deps: ToolExecutorDeps,
  lifetime: AbortSignal,
  unavailable: Map<string, string>,
): Promise<ConnectedServer[]> {
  const { servers, limits } = deps;
  const selected = new Map(deps.selection.servers.map((server) => [server.name, server]));
  const connected = await Promise.all(
    [...selected.values()].map(async ({ name, tools }): Promise<ConnectedServer | null> => {
      const logger = deps.logger.child({ mcpServer: name });
      const settings = servers.get(name);
      let connection: McpConnection | null = null;
      try {
        if (settings === undefined) throw new Error('no such server is configured');
        const started = performance.now();
        connection = await connect(settings, logger, limits.initTimeoutMs, lifetime);
        const left = Math.max(1, limits.initTimeoutMs - (performance.now() - started));
        const session = await connection.session();
        const listed = await session.listTools(left, lifetime);
        return { name, wanted: tools !== null && tools.length > 0 ? tools : null, connection, listed };
      } catch (error) {
        await connection?.close();
        const reason = mask(deps, logger, name, describeFailure(error)).text.slice(0, MAX_REASON_CHARACTERS);
        unavailable.set(name, reason);
        if (!lifetime.aborted) logger.warn({ reason }, 'MCP server is not available');
        return null;
      }
    }),
  );
  return connected.filter((server) => server !== null);
}

interface Parts {
  deps: ToolExecutorDeps;
  catalogue: ReadonlyMap<string, KnownTool>;
  leftOut: readonly LeftOutTool[];
  connections: ReadonlyMap<string, McpConnection>;
  unavailable: ReadonlyMap<string, string>;
}

async function execute(
  { deps, catalogue, leftOut, connections, unavailable }: Parts,
  call: ToolCallRequest,
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<ToolResult> {
  options.signal.throwIfAborted();
  const started = performance.now();
  const finish = (result: Omit<ToolResult, 'durationMs'>): ToolResult => ({
    ...result,
    durationMs: Math.round(performance.now() - started),
  });
  // Looked up before it is split: a server's or tool's own name may hold a double underscore.
  const known = catalogue.get(toFunctionName(call.name.trim()));
  const connection = known && connections.get(known.server);
  if (known === undefined || connection === undefined) {
    const name = parseToolName(call.name);
    const content = unknownToolMessage(call.name, name, { catalogue, leftOut, unavailable });
    return finish({
      content,
      isError: true,
      serverName: name?.server ?? '',
      toolName: name?.tool ?? '',
      arguments: null,
    });
  }
  const logger = deps.logger.child({ mcpServer: known.server, tool: known.tool });
  const parameters = parseArguments(call.arguments);
  const timeoutMs = operationTimeout(deps, known.server, options.timeoutMs);
  const outcome = await callWithRetry({ connection, known, parameters, logger }, timeoutMs, options.signal);
  const raw =
    outcome.result !== null
      ? resultText(outcome.result)
      : `Tool ${canonicalName(known)} failed: ${outcome.failure}`;
  const masked = mask(deps, logger, known.server, storable(raw));
  return finish({
    content: cutText(masked.text, deps.limits.maxResultChars),
    isError: outcome.result === null || outcome.result.isError === true || masked.failed,
    serverName: known.server,
    toolName: known.tool,
    arguments: parameters,
  });
}

function operationTimeout(deps: ToolExecutorDeps, server: string, callerMs: number): number {
  const transport = deps.servers.get(server)?.transport;
  const serverMs = transport !== undefined && transport.type !== 'stdio' ? transport.timeoutMs : undefined;
  return Math.min(callerMs, deps.limits.operationTimeoutMs, serverMs ?? Number.POSITIVE_INFINITY);
}

function mask(
  deps: ToolExecutorDeps,
  logger: Logger,
  server: string,
  text: string,
): { text: string; failed: boolean } {
  const transport = deps.servers.get(server)?.transport;
  const hidden = transport === undefined ? text : hideCredentials(transport, text);
  if (deps.maskResult === undefined) return { text: hidden, failed: false };
  try {
    return { text: deps.maskResult(server, hidden), failed: false };
  } catch (error) {
    // The message of the error may quote what was to be masked.
    logger.error({ reason: error instanceof Error ? error.name : 'unknown' }, 'Masking an MCP result failed');
    return { text: WITHHELD, failed: true };
  }
}
