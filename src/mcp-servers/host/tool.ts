import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { systemCode, ToolFailure } from './failure.ts';
import { cleanText, limitOutput } from './output.ts';

/** A look at the machine; unless it says so, it changes nothing. */
export interface HostTool<Input extends z.ZodObject> {
  name: string;
  title: string;
  /** Says what the tool shows in the words alerts use: planners choose by them. */
  description: string;
  input: Input;
  /** True when the tool asks something outside this process and its kernel. */
  openWorld: boolean;
  /** True when the machine is another one afterwards. */
  changes?: boolean;
  /** The end of a too long result that is kept. */
  keep: 'head' | 'tail';
  /** Text for the model. Throws ToolFailure for what the caller can understand. */
  run(args: z.output<Input>, signal: AbortSignal): Promise<string>;
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text: cleanText(text) }], isError: true };
}

/** Adds one tool to the server: bounded text out, every failure as an MCP tool error. */
export function addTool<Input extends z.ZodObject>(server: McpServer, tool: HostTool<Input>): void {
  // The SDK's callback type is conditional on the schema; a widened schema keeps it readable, `run` gets the parsed value.
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
        openWorldHint: tool.openWorld,
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
