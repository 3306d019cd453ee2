import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { systemCode, ToolFailure } from './failure.ts';
import { cleanText, limitOutput } from './output.ts';

export interface ServerTool<Input extends z.ZodObject> {
  name: string;
  title: string;
  /** Description for models. Uses the words of usual alerts, because models choose tools by their descriptions. */
  description: string;
  input: Input;
  /** True if the tool contacts anything outside this process and its kernel. */
  openWorld?: boolean;
  changes?: boolean;
  /** The end of an overlong result that is kept. @default 'head' */
  keep?: 'tail';
  /** Returns text for the model. @throws ToolFailure for failures that the model can understand */
  run(args: z.output<Input>, signal: AbortSignal): Promise<string>;
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text: cleanText(text) }], isError: true };
}

/** Adds a tool to the server; truncates its results and reports every failure as an MCP tool error. */
export function addTool<Input extends z.ZodObject>(server: McpServer, tool: ServerTool<Input>): void {
  // Widens the type, because the SDK's callback type cannot be resolved for a generic schema.
  const schema: z.ZodObject = tool.input;
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      inputSchema: schema,
      annotations: {
        title: tool.title,
        readOnlyHint: !tool.changes,
        idempotentHint: true,
        destructiveHint: tool.changes ?? false,
        openWorldHint: tool.openWorld ?? false,
      },
    },
    async (args, extra): Promise<CallToolResult> => {
      try {
        const text = await tool.run(args as z.output<Input>, extra.signal);
        return { content: [{ type: 'text', text: limitOutput(text, tool.keep) }] };
      } catch (error) {
        if (error instanceof ToolFailure) return failed(`${error.code}: ${error.message}`);
        const reason = systemCode(error) ?? (error instanceof Error ? error.message : 'unknown error');
        return failed(`FAILED: ${tool.name} could not finish (${reason}).`);
      }
    },
  );
}
