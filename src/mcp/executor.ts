import type { Logger } from 'pino';
import { storable } from '../common/storable.ts';
import { truncate } from '../common/truncate.ts';
import { callWithRetry, type ToolCall } from './call.ts';
import { buildCatalogue, type Catalogue, type KnownTool } from './catalogue.ts';
import type { McpConnection } from './connection.ts';
import { hideCredentials } from './credentials.ts';
import { FIND_TOOLS, foundText } from './find-tools.ts';
import { parseArguments } from './parameters.ts';
import { resultText } from './results.ts';
import { schemaProblems } from './schema-check.ts';
import { connectSelected, type SelectedServers } from './selected-servers.ts';
import { STANDARD_RULES } from './tool-class.ts';
import { canonicalName, parseToolName, toFunctionName } from './tool-names.ts';
import { createToolOffer, type ToolOffer } from './tool-offer.ts';
import type { ShareLimits } from './tool-selection.ts';
import type {
  LookedUp,
  ToolCallOptions,
  ToolCallRequest,
  ToolExecutor,
  ToolExecutorDeps,
  ToolResult,
} from './types.ts';
import { unknownToolMessage } from './unknown-tool.ts';

/** What a server's text becomes when masking fails: rather nothing than a secret. */
const WITHHELD = '[the result is withheld: masking it failed]';

/**
 * Connects to the selected servers, all at once, and offers their tools. Servers that cannot be reached are recorded,
 * not fatal; their tools join when they are there. Throws only `deps.signal.reason` when aborted; nothing is left running then. The caller must close it.
 */
export async function createToolExecutor(deps: ToolExecutorDeps): Promise<ToolExecutor> {
  const { logger } = deps;
  deps.signal?.throwIfAborted();
  const lifetime = new AbortController();
  const cancel = () => lifetime.abort(deps.signal?.reason);
  deps.signal?.addEventListener('abort', cancel, { once: true });
  let view: View = {
    tools: new Map(),
    leftOut: [],
    offer: createToolOffer(new Map(), '', shareOf(deps)),
    connections: new Map(),
  };
  let servers: SelectedServers | null = null;
  const refresh = () => {
    if (servers === null) return;
    const before = view.offer.tools().map(({ name }) => name);
    view = viewOf(deps, servers);
    view.offer.recall(before.join(' '));
  };
  try {
    const maskText = (server: string, text: string) => mask(deps, logger, server, text).text;
    servers = await connectSelected({ deps, lifetime: lifetime.signal, mask: maskText, onChanged: refresh });
  } finally {
    deps.signal?.removeEventListener('abort', cancel);
  }
  const { unavailable, close: disconnect } = servers;
  let closing: Promise<void> | null = null;
  const close = () => {
    lifetime.abort(new Error('the tool executor is closed'));
    closing ??= disconnect();
    return closing;
  };
  if (deps.signal?.aborted) {
    await close();
    throw deps.signal.reason;
  }
  refresh();
  return {
    listTools: async (signal) => {
      signal?.throwIfAborted();
      return view.offer.tools();
    },
    execute: (call, options) => execute({ deps, view, unavailable }, call, options),
    lookUp: (call) => lookUp(view, call),
    leftOutTools: () => [...view.offer.leftOut(), ...view.leftOut],
    wasFound: (name) => view.offer.wasFound(name),
    recall: (conversation) => view.offer.recall(conversation),
    unavailableServers: () => unavailable,
    close,
  };
}

/** What is there at one time; another one takes its place when servers come or change. */
interface View extends Catalogue {
  offer: ToolOffer;
  connections: ReadonlyMap<string, McpConnection>;
}

function viewOf(deps: ToolExecutorDeps, { connected, unavailable }: SelectedServers): View {
  const servers = connected();
  const rulesOf = (server: string) => deps.servers.get(server)?.rules ?? STANDARD_RULES;
  const catalogue = buildCatalogue(
    servers.map(({ name, wanted, listed }) => ({
      ...{ server: name, wanted, listed, rules: rulesOf(name) },
      only: deps.selection.only ?? null,
    })),
    deps.logger,
  );
  for (const { name, wanted } of servers) {
    const hasOne = [...catalogue.tools.values()].some(({ server }) => server === name);
    if (wanted === null) continue;
    if (hasOne) unavailable.delete(name);
    else unavailable.set(name, 'it has none of the tools that the alert chose');
  }
  const connections = new Map(servers.map(({ name, connection }) => [name, connection]));
  const offer = createToolOffer(catalogue.tools, deps.selection.about ?? '', shareOf(deps));
  const findable = offer.leftOut().length;
  if (findable > 0) deps.logger.info({ listed: offer.tools().length, findable }, 'more MCP tools than fit');
  return { ...catalogue, offer, connections };
}

function shareOf({ limits: { maxTools, maxToolUnits } }: ToolExecutorDeps): ShareLimits {
  return { tools: maxTools, units: maxToolUnits };
}

interface Parts {
  deps: ToolExecutorDeps;
  view: View;
  unavailable: ReadonlyMap<string, string>;
}

async function execute(
  { deps, view, unavailable }: Parts,
  call: ToolCallRequest,
  options: ToolCallOptions,
): Promise<ToolResult> {
  const { tools: catalogue, offer, leftOut, connections } = view;
  options.signal.throwIfAborted();
  const started = performance.now();
  const finish = (result: Omit<ToolResult, 'durationMs'>): ToolResult => ({
    ...result,
    durationMs: Math.round(performance.now() - started),
  });
  if (toFunctionName(call.name.trim()) === toFunctionName(FIND_TOOLS))
    return finish(findTools(deps, offer, call));
  const known = knownTool(catalogue, call.name);
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
  offer.recall(known.definition.name); // one that was not in the list is from now on
  const logger = deps.logger.child({ mcpServer: known.server, tool: known.tool });
  const parameters = parseArguments(call.arguments);
  const problems = schemaProblems(known.definition.inputSchema, parameters);
  const timeoutMs = deps.servers.get(known.server)?.transport.timeoutMs ?? options.timeoutMs;
  const refusal = refusalOf(known, problems, options.approved ?? false);
  const {
    text,
    isError,
    isUnknown = false,
  } = refusal === null
    ? await answerOf({ connection, known, parameters, logger }, timeoutMs, options.signal)
    : { text: refusal, isError: true };
  const masked = mask(deps, logger, known.server, storable(text));
  return finish({
    content: truncate(masked.text, deps.limits.maxResultChars),
    isError: isError || masked.failed,
    serverName: known.server,
    toolName: known.tool,
    arguments: parameters,
    ...(isUnknown && { isUnknown }),
  });
}

/** Looked up before it is split: a server's or tool's own name may hold a double underscore. */
const knownTool = (catalogue: Catalogue['tools'], name: string) => catalogue.get(toFunctionName(name.trim()));

function lookUp(
  { tools, connections }: View,
  call: Pick<ToolCallRequest, 'name' | 'arguments'>,
): LookedUp | null {
  const known = knownTool(tools, call.name);
  if (known === undefined || !connections.has(known.server)) return null;
  const parameters = parseArguments(call.arguments);
  const fits = schemaProblems(known.definition.inputSchema, parameters) === null;
  return { ...known, parameters, fits };
}

/** Why a call is not made; null = it is. */
function refusalOf(
  { tool, definition }: KnownTool,
  problems: string | null,
  approved: boolean,
): string | null {
  if (problems !== null) return `Invalid arguments for tool ${tool}; it was not called:\n${problems}`;
  if (definition.ask === null || approved) return null;
  return `Tool ${tool} is called only when people approve it; it was not called.`;
}

async function answerOf(call: ToolCall, timeoutMs: number, signal: AbortSignal) {
  const outcome = await callWithRetry(call, timeoutMs, signal);
  if (outcome.result !== null) {
    const { structuredContent = null, isError = false } = outcome.result;
    const schema = call.known.definition.outputSchema ?? null;
    const checked = !isError && schema !== null && structuredContent !== null;
    const problems = checked ? schemaProblems(schema, structuredContent) : null;
    const note = problems === null ? '' : `\n[It is not what the tool's output schema says:\n${problems}]`;
    return { text: resultText(outcome.result) + note, isError };
  }
  const { failure, isUnknown } = outcome;
  return { text: `Tool ${canonicalName(call.known)} failed: ${failure}`, isError: true, isUnknown };
}

/** A search for tools that are not in the list. */
function findTools(
  deps: ToolExecutorDeps,
  offer: ToolOffer,
  call: ToolCallRequest,
): Omit<ToolResult, 'durationMs'> {
  const parameters = parseArguments(call.arguments);
  const query = typeof parameters.query === 'string' ? parameters.query : '';
  const masked = (server: string, text: string) => mask(deps, deps.logger, server, storable(text)).text;
  const content = foundText(offer.find(query), offer.leftOut(), masked);
  const [serverName, toolName] = FIND_TOOLS.split('.') as [string, string];
  return { content, isError: false, serverName, toolName, arguments: parameters };
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
