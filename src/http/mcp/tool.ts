import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { OperationError, type Run } from './run-operation.ts';

/** Everything that a tool may use. */
export interface ToolContext {
  run: Run;
  dashboardUrl: string;
  /** True if the client can ask its user, and answers in the same call. */
  mayAsk: boolean;
  /** The user's answers to earlier requests of this call, as the client sent them. */
  answers: Record<string, unknown>;
  /** The state that the last request to the user carried, as the client sent it back; untrusted. */
  state: unknown;
  signal: AbortSignal;
  /** Tells the client how far a call is, if it asked for progress. */
  progress(message: string): Promise<void>;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** True if the tool changes nothing. */
  readOnly: boolean;
  call(input: never, context: ToolContext): Promise<object>;
}

/** Describes a tool with the type of its input. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'call'> & {
    input: Input;
    call(input: z.output<Input>, context: ToolContext): Promise<object>;
  },
): Tool {
  return tool as unknown as Tool;
}

/**
 * Registers a tool. Errors of the API become failed results with code and message. Others are logged, and the client gets only
 * the id under which the log has them.
 */
export function registerTool(
  server: McpServer,
  { name, title, description, input, readOnly, call }: Tool,
  context: Pick<ToolContext, 'run' | 'dashboardUrl' | 'mayAsk'>,
  { logger, requestId }: { logger: Logger; requestId: () => string },
): void {
  const annotations = {
    readOnlyHint: readOnly,
    openWorldHint: false,
    ...(readOnly ? {} : { destructiveHint: false }),
  };
  server.registerTool(
    name,
    { title, description, inputSchema: input, annotations },
    async (given: object, sdk: ServerContext): Promise<CallToolResult | InputRequiredResult> => {
      const { signal, inputResponses = {} } = sdk.mcpReq;
      try {
        const result = await call(given as never, {
          ...context,
          mayAsk: context.mayAsk && server.server.getClientCapabilities()?.elicitation !== undefined,
          answers: inputResponses,
          state: sdk.mcpReq.requestState(),
          signal,
          progress: progressOf(sdk),
        });
        if (isInputRequiredResult(result)) return result;
        return {
          content: [{ type: 'text', text: JSON.stringify(result, null, 1) }],
          structuredContent: { ...result },
        };
      } catch (error) {
        if (error instanceof OperationError) return failed(`${error.code}: ${error.message}`);
        const correlationId = requestId();
        logger.error({ err: error, correlationId, tool: name }, 'mcp tool failed');
        return failed(`INTERNAL: Internal error (${correlationId})`);
      }
    },
  );
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function progressOf({ mcpReq }: ServerContext): ToolContext['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}
