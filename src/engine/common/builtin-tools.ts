import { parseArguments } from '../../mcp/parameters.ts';
import { schemaProblems } from '../../mcp/schema-check.ts';
import { parseToolName, toFunctionName } from '../../mcp/tool-names.ts';
import type { ToolCallRequest, ToolDefinition, ToolExecutor, ToolResult } from '../../mcp/types.ts';
import { RunInterruptedError } from './interruptions.ts';

/** A tool of TARSy itself, not of an MCP server. Built-in tools are read-only and may be called again. */
export interface BuiltinTool {
  /** `tarsy.<name>`. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** @throws Error whose message the model may read */
  run(args: Record<string, unknown>, call: ToolCallRequest): Promise<string>;
}

/**
 * The tools of an agent with those of our own behind them; a server's tool of the same name is not offered.
 * @param alone whether they are offered where there are no others
 */
export function withBuiltinTools(
  tools: ToolExecutor,
  own: readonly BuiltinTool[],
  alone = true,
): ToolExecutor {
  if (own.length === 0) return tools;
  const byName = new Map(own.map((tool) => [toFunctionName(tool.name), tool]));
  const definitions = own.map(definitionOf);
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
  const problems = schemaProblems(tool.inputSchema, args);
  const answer = async () => {
    if (problems !== null)
      return {
        content: `Invalid arguments for tool ${toolName}; it was not called:\n${problems}`,
        isError: true,
      };
    try {
      return { content: await tool.run(args, call), isError: false };
    } catch (error) {
      if (error instanceof RunInterruptedError) throw error;
      return { content: `Tool ${tool.name} failed: ${reasonOf(error)}`, isError: true };
    }
  };
  const { content, isError } = await answer();
  const durationMs = Math.round(performance.now() - started);
  return { content, isError, serverName: server, toolName, arguments: args, durationMs };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it gave no reason';
}
