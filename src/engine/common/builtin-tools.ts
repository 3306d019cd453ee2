import { errorMessage } from '../../common/error-message.ts';
import { parseArguments } from '../../mcp/parameters.ts';
import { schemaProblems } from '../../mcp/schema-check.ts';
import { parseToolName, toFunctionName } from '../../mcp/tool-names.ts';
import type { ToolCallRequest, ToolDefinition, ToolExecutor, ToolResult } from '../../mcp/types.ts';
import { RunInterruptedError } from './interruptions.ts';

/** A tool that TARSy itself provides. A call changes nothing outside of TARSy and may be repeated. */
export interface BuiltinTool {
  /** `tarsy.<name>` */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** @throws Error with a message that the model may read */
  run(args: Record<string, unknown>, call: ToolCallRequest): Promise<string>;
}

/**
 * Adds built-in tools, which replace server tools of the same name.
 * @param alone false: offers no built-in tools if no other tools are offered
 */
export function withBuiltinTools(
  tools: ToolExecutor,
  builtin: readonly BuiltinTool[],
  alone = true,
): ToolExecutor {
  if (builtin.length === 0) return tools;
  const byName = new Map(builtin.map((tool) => [toFunctionName(tool.name), tool]));
  const definitions = builtin.map(definitionOf);
  return {
    ...tools,
    async listTools(signal) {
      const others = await tools.listTools(signal);
      if (others.length === 0 && !alone) return [];
      return [...others.filter(({ name }) => !byName.has(toFunctionName(name))), ...definitions];
    },
    resolveCall: (call) => (byName.has(toFunctionName(call.name.trim())) ? null : tools.resolveCall(call)),
    async execute(call, options) {
      const tool = byName.get(toFunctionName(call.name.trim()));
      if (tool === undefined) return tools.execute(call, options);
      options.signal.throwIfAborted();
      return execute(tool, call);
    },
  };
}

function definitionOf({ name, description, inputSchema }: BuiltinTool): ToolDefinition {
  const annotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
  return { name, description, inputSchema, toolClass: 'reads', annotations, repeatable: true, ask: null };
}

async function execute(tool: BuiltinTool, call: ToolCallRequest): Promise<ToolResult> {
  const started = performance.now();
  const { server, tool: toolName } = parseToolName(tool.name)!;
  const args = parseArguments(call.arguments);
  const result = (content: string, isError: boolean): ToolResult => {
    const durationMs = Math.round(performance.now() - started);
    return { content, isError, serverName: server, toolName, arguments: args, durationMs };
  };
  const problems = schemaProblems(tool.inputSchema, args);
  if (problems !== null)
    return result(`Invalid arguments for tool ${toolName}; it was not called:\n${problems}`, true);
  try {
    return result(await tool.run(args, call), false);
  } catch (error) {
    if (error instanceof RunInterruptedError) throw error;
    return result(`Tool ${tool.name} failed: ${errorMessage(error)}`, true);
  }
}
