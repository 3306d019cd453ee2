import { withoutAliases } from '../../../cases/arguments.ts';
import type { CaseDocument } from '../../../cases/document.ts';
import { openRecording } from '../../../cases/recording.ts';
import type { Config, ToolRulesConfig } from '../../../config/types.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { Masking } from '../../../masking/masking.ts';
import { buildCatalogue } from '../../../mcp/catalogue.ts';
import { readListedTool } from '../../../mcp/list-tools.ts';
import { parseArguments } from '../../../mcp/parameters.ts';
import { schemaProblems } from '../../../mcp/schema-check.ts';
import { parseToolName, toFunctionName } from '../../../mcp/tool-names.ts';
import type { McpSelection, ToolCallRequest, ToolExecutor, ToolResult } from '../../../mcp/types.ts';
import { unknownToolMessage } from '../../../mcp/unknown-tool.ts';
import { readPastCalls } from './store.ts';

export interface ReplayingToolsDeps {
  /** Where an agent's earlier calls are stored, so that a resumed agent does not count from the start. */
  db: Queryable;
  sessionId: string;
  config: Pick<Config, 'mcpServers'>;
  masking: Pick<Masking, 'maskArguments'>;
  logger: Parameters<typeof buildCatalogue>[1];
  document: CaseDocument;
}

/** Rules for servers of a closed world that the configuration does not have. */
const DEFAULT_RULES: ToolRulesConfig = {
  readOnlyTools: [],
  changingTools: [],
  trustAnnotations: true,
  allowChanges: false,
  policy: [],
};

/**
 * Creates an agent's tools for a replay: those of the case that the agent may use today. Every call is answered from
 * the recording, so that this executor has no connection to any server. No call needs approval, because none has an
 * effect.
 */
export async function createReplayingTools(
  { db, sessionId, config, masking, logger, document }: ReplayingToolsDeps,
  selection: McpSelection,
): Promise<ToolExecutor> {
  const { agent } = selection;
  const catalogue = buildCatalogue(
    selection.servers.flatMap(({ name: server, tools: wanted }) => {
      const rules = config.mcpServers[server] ?? (document.world === 'closed' ? DEFAULT_RULES : undefined);
      const listed = document.tools.filter((tool) => tool.server === server).flatMap(toListed);
      if (rules === undefined || listed.length === 0) return [];
      const present = wanted?.filter((name) => listed.some((tool) => tool.name === name)) ?? null;
      return { server, wanted: present, listed, rules, only: selection.only ?? null };
    }),
    logger,
  );
  for (const tool of catalogue.tools.values())
    tool.definition = { ...tool.definition, ask: null, repeatable: true };
  const recording = openRecording(document);
  const name = agent?.name ?? '';
  for (const call of agent ? await readPastCalls(db, { sessionId, ...agent }) : [])
    recording.answer({ agent: name, ...call });

  const find = (called: string) => catalogue.tools.get(toFunctionName(called.trim()));
  const parametersOf = (
    { server, tool }: { server: string; tool: string },
    call: Pick<ToolCallRequest, 'arguments'>,
  ) => {
    const definition = document.tools.find((one) => one.server === server && one.name === tool);
    return withoutAliases(parseArguments(call.arguments), definition);
  };
  function execute(call: ToolCallRequest): Omit<ToolResult, 'durationMs'> {
    const known = find(call.name);
    if (known === undefined) {
      const { server: serverName, tool: toolName } = parseToolName(call.name) ?? { server: '', tool: '' };
      const content = unknownToolMessage(call.name, {
        catalogue: catalogue.tools,
        leftOut: catalogue.leftOut,
        unavailable: new Map(),
      });
      return { content, isError: true, serverName, toolName, arguments: null };
    }
    const { server, tool } = known;
    const parameters = parametersOf(known, call);
    const made = { serverName: server, toolName: tool, arguments: parameters };
    const problems = schemaProblems(known.definition.inputSchema, parameters);
    if (problems !== null) {
      const content = `Invalid arguments for tool ${tool}; it was not called:\n${problems}`;
      return { ...made, content, isError: true };
    }
    // Masked like the recorded arguments, so that both are comparable.
    const masked = parseArguments(masking.maskArguments(server, JSON.stringify(parameters)));
    const {
      text: content,
      isError,
      recorded,
    } = recording.answer({ agent: name, server, tool, arguments: masked });
    return { ...made, content, isError, recorded };
  }

  return {
    listTools: async (signal) => {
      signal?.throwIfAborted();
      return [...catalogue.tools.values()].map(({ definition }) => definition);
    },
    async execute(call, { signal }) {
      signal.throwIfAborted();
      return { ...execute(call), durationMs: 0 };
    },
    resolveCall(call) {
      const known = find(call.name);
      if (known === undefined) return null;
      const parameters = parametersOf(known, call);
      return {
        ...known,
        parameters,
        isValid: schemaProblems(known.definition.inputSchema, parameters) === null,
      };
    },
    leftOutTools: () => catalogue.leftOut,
    wasFound: () => false,
    offerMentioned: () => {},
    unavailableServers: () => new Map(),
    close: async () => {},
  };
}

function toListed({
  name,
  description,
  input_schema: inputSchema,
  annotations = {},
}: CaseDocument['tools'][number]) {
  const { read_only, destructive, idempotent, open_world } = annotations;
  const listed = readListedTool({
    name,
    description,
    inputSchema,
    annotations: {
      ...(read_only !== undefined && { readOnlyHint: read_only }),
      ...(destructive !== undefined && { destructiveHint: destructive }),
      ...(idempotent !== undefined && { idempotentHint: idempotent }),
      ...(open_world !== undefined && { openWorldHint: open_world }),
    },
  });
  return listed === null ? [] : [listed];
}
