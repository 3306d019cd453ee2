import type { Logger } from 'pino';
import { toStorable } from '../common/storable.ts';
import { terminalText } from '../common/terminal-text.ts';
import { truncate } from '../common/truncate.ts';
import { callWithRetry, type ToolCall } from './call.ts';
import { buildCatalogue, type Catalogue } from './catalogue.ts';
import type { McpConnection } from './connection.ts';
import { maskCredentials } from './credentials.ts';
import { FIND_TOOLS, foundText } from './find-tools.ts';
import { parseArguments } from './parameters.ts';
import { resultText } from './results.ts';
import { schemaProblems } from './schema-check.ts';
import { connectSelected, type SelectedServers, type ServerSelectionDeps } from './selected-servers.ts';
import { DEFAULT_TOOL_RULES } from './tool-class.ts';
import { canonicalName, parseToolName, toFunctionName } from './tool-names.ts';
import { createToolOffer, type ToolOffer } from './tool-offer.ts';
import type { OfferLimits } from './tool-selection.ts';
import type {
  KnownTool,
  ResolvedCall,
  ToolCallOptions,
  ToolCallRequest,
  ToolExecutor,
  ToolResult,
} from './types.ts';
import { unknownToolMessage } from './unknown-tool.ts';

export interface ToolExecutorDeps extends ServerSelectionDeps {
  limits: ServerSelectionDeps['limits'] & {
    maxResultChars: number;
    maxTools: number;
    /** Maximum total size of the tools' names, descriptions and schemas (UTF-16 code units). */
    maxToolUnits: number;
  };
  /** Removes secrets from a server's text. If it throws, the whole text is withheld. */
  maskResult?: (serverId: string, text: string) => string;
  signal?: AbortSignal;
}

const WITHHELD = '[the result is withheld: masking it failed]';

/**
 * Connects to the selected servers in parallel and offers their tools. Unavailable servers join when they become
 * available. The caller must close the executor. @throws only `deps.signal.reason`; nothing is left running then
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
    view.offer.offerMentioned(before.join(' '));
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
    resolveCall: (call) => resolveCall(view, call),
    leftOutTools: () => [...view.offer.leftOut(), ...view.leftOut],
    wasFound: (name) => view.offer.wasFound(name),
    offerMentioned: (conversation) => view.offer.offerMentioned(conversation),
    unavailableServers: () => unavailable,
    close,
  };
}

/** Snapshot of the available servers and tools, replaced when a server joins or changes its tools. */
interface View extends Catalogue {
  offer: ToolOffer;
  connections: ReadonlyMap<string, McpConnection>;
}

function viewOf(deps: ToolExecutorDeps, { connected, unavailable }: SelectedServers): View {
  const servers = connected();
  const rulesOf = (server: string) => deps.servers.get(server)?.rules ?? DEFAULT_TOOL_RULES;
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
    else unavailable.set(name, 'the server has none of the tools that the alert chose');
  }
  const connections = new Map(servers.map(({ name, connection }) => [name, connection]));
  const offer = createToolOffer(catalogue.tools, deps.selection.about ?? '', shareOf(deps));
  const findable = offer.leftOut().length;
  if (findable > 0) deps.logger.info({ listed: offer.tools().length, findable }, 'more MCP tools than fit');
  return { ...catalogue, offer, connections };
}

function shareOf({ limits: { maxTools, maxToolUnits } }: ToolExecutorDeps): OfferLimits {
  return { tools: maxTools, units: maxToolUnits };
}

async function execute(
  { deps, view, unavailable }: { deps: ToolExecutorDeps; view: View; unavailable: Map<string, string> },
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
    const { server: serverName, tool: toolName } = parseToolName(call.name) ?? { server: '', tool: '' };
    const content = unknownToolMessage(call.name, { catalogue, leftOut, unavailable });
    const unknown = { isError: true, errorCode: 'unknown_tool', arguments: null };
    return finish({ ...unknown, content, serverName, toolName });
  }
  offer.offerMentioned(known.definition.name); // keeps a left-out tool in the list from now on
  const logger = deps.logger.child({ mcpServer: known.server, tool: known.tool });
  const parameters = parseArguments(call.arguments);
  const problems = schemaProblems(known.definition.inputSchema, parameters);
  const timeoutMs = deps.servers.get(known.server)?.transport.timeoutMs ?? options.timeoutMs;
  const refusal = refusalOf(known, problems, options.approved ?? false);
  const { traceparent } = options;
  const { text, isError, ...facts }: Answer =
    refusal === null
      ? await answerOf({ connection, known, parameters, traceparent, logger }, timeoutMs, options.signal)
      : { text: refusal, isError: true, errorCode: problems === null ? 'not_approved' : 'invalid_arguments' };
  // Folds terminal output before masking, because colours may split a secret.
  const masked = mask(deps, logger, known.server, terminalText(toStorable(text)));
  return finish({
    content: truncate(masked.text, deps.limits.maxResultChars),
    ...facts,
    isError: isError || masked.failed,
    ...(masked.failed && { errorCode: 'masking_failed' }),
    serverName: known.server,
    toolName: known.tool,
    arguments: parameters,
  });
}

/** Finds a tool by its full name. The name is not split, because a tool's own name may contain a double underscore. */
const knownTool = (catalogue: Catalogue['tools'], name: string) => catalogue.get(toFunctionName(name.trim()));

function resolveCall(
  { tools, connections }: View,
  call: Pick<ToolCallRequest, 'name' | 'arguments'>,
): ResolvedCall | null {
  const known = knownTool(tools, call.name);
  if (known === undefined || !connections.has(known.server)) return null;
  const parameters = parseArguments(call.arguments);
  const isValid = schemaProblems(known.definition.inputSchema, parameters) === null;
  return { ...known, parameters, isValid };
}

/** Returns the reason why a call is refused; `null` if it may be made. */
function refusalOf(
  { tool, definition }: KnownTool,
  problems: string | null,
  approved: boolean,
): string | null {
  if (problems !== null) return `Invalid arguments for tool ${tool}; it was not called:\n${problems}`;
  if (definition.ask === null || approved) return null;
  return `Tool ${tool} requires approval; it was not called.`;
}

/** The text of a result before masking, and facts that the result keeps. */
interface Answer extends Pick<ToolResult, 'isError' | 'errorCode' | 'session' | 'outcomeUnknown'> {
  text: string;
}

async function answerOf(call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
  const outcome = await callWithRetry(call, timeoutMs, signal);
  if (outcome.kind === 'answer') {
    const { structuredContent, isError } = outcome.result;
    const schema = call.known.definition.outputSchema ?? null;
    const checked = !isError && schema !== null && structuredContent !== null;
    const problems = checked ? schemaProblems(schema, structuredContent) : null;
    const note =
      problems === null ? '' : `\n[The result does not match the tool's output schema:\n${problems}]`;
    const { session } = outcome;
    const text = resultText(outcome.result) + note;
    return { text, isError, session, ...(isError && { errorCode: 'tool_error' }) };
  }
  const { failure, outcomeUnknown, errorCode, session } = outcome;
  return {
    text: `Tool ${canonicalName(call.known)} failed: ${failure}`,
    isError: true,
    errorCode,
    ...(session !== null && { session }),
    ...(outcomeUnknown && { outcomeUnknown }),
  };
}

function findTools(
  deps: ToolExecutorDeps,
  offer: ToolOffer,
  call: ToolCallRequest,
): Omit<ToolResult, 'durationMs'> {
  const parameters = parseArguments(call.arguments);
  const query = typeof parameters.query === 'string' ? parameters.query : '';
  const masked = (server: string, text: string) => mask(deps, deps.logger, server, toStorable(text)).text;
  const content = foundText(offer.find(query), offer.leftOut(), masked);
  const { server: serverName, tool: toolName } = parseToolName(FIND_TOOLS)!;
  return { content, isError: false, serverName, toolName, arguments: parameters };
}

function mask(
  deps: ToolExecutorDeps,
  logger: Logger,
  server: string,
  text: string,
): { text: string; failed: boolean } {
  const transport = deps.servers.get(server)?.transport;
  const hidden = transport === undefined ? text : maskCredentials(transport, text);
  if (deps.maskResult === undefined) return { text: hidden, failed: false };
  try {
    return { text: deps.maskResult(server, hidden), failed: false };
  } catch (error) {
    // The error's message is not logged, because it may quote the unmasked text.
    const reason = error instanceof Error ? error.name : 'unknown';
    logger.error({ reason }, 'MCP result not masked');
    return { text: WITHHELD, failed: true };
  }
}
