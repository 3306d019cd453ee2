import { oncePer } from '../../common/once-per.ts';
import type { ToolClass } from '../../config/tool-policy.ts';
import type { LlmInteractionType } from '../../db/enums.ts';
import type { ToolDefinition as OfferedTool } from '../../mcp/types.ts';
import {
  type GenerateRequest,
  type LLMConfig,
  type ToolCall,
  type ToolDefinition,
  ToolClass as WireToolClass,
} from './gen/llm_service.ts';
import { type LlmTask, taskToWire } from './task.ts';
import type { Sent } from './wire.ts';

/** A message of the conversation; `toolCalls` on ASSISTANT, `toolCallId` on TOOL only. */
export interface LlmMessage {
  role: 'SYSTEM' | 'USER' | 'ASSISTANT' | 'TOOL';
  content: string;
  toolCalls?: readonly LlmToolCall[] | undefined;
  toolCallId?: string | undefined;
  /** On TOOL, and on USER where it is the observation of a call. */
  toolName?: string | undefined;
  /** … that failed. */
  failed?: boolean | undefined;
  /** On ASSISTANT: what its provider wants back with it. */
  providerTurn?: Uint8Array | undefined;
}

/** A tool call of the model; `name` is canonical (`server.tool`), `arguments` a JSON object as text. */
export type LlmToolCall = ToolCall;

/** A tool that the model may call. */
export type LlmTool = Omit<OfferedTool, 'repeatable' | 'ask'>;

/** Which model to call. Keys and credentials are named, never carried: the service reads its own environment. */
export interface LlmSettings extends Sent<LLMConfig> {
  backend: string;
  provider: string;
  model: string;
  /** Tokens that the model reads and writes at once. Not on the wire: the engine shortens by it. */
  contextWindow?: number | undefined;
}

/** One LLM call: the whole conversation, oldest first. No tools = the model may not call any. */
export interface LlmRequest {
  sessionId: string;
  executionId: string;
  messages: readonly LlmMessage[];
  llm: LlmSettings;
  tools: readonly LlmTool[];
  /** What the answer is for. */
  purpose?: LlmInteractionType | undefined;
  /** What the messages say, as data. */
  task?: LlmTask | undefined;
  /** Tools that the model names in text of the ReAct form; its answer is such a text. `tools` is empty then. */
  reactTools?: readonly LlmTool[] | undefined;
  /** Name of the one of `tools` that the answer must call; a model that cannot be made to may answer with text. */
  toolChoice?: string | undefined;
  /** The iteration that the call begins, for traces; none for a call within another piece of work. */
  iteration?: number | null | undefined;
}

const TOOL_CLASSES = {
  reads: WireToolClass.TOOL_CLASS_READS,
  changes: WireToolClass.TOOL_CLASS_CHANGES,
  undeclared: WireToolClass.TOOL_CLASS_UNDECLARED,
} as const satisfies Record<ToolClass, WireToolClass>;

/** The request as it goes over the wire. */
export function requestToWire({
  llm,
  purpose,
  task,
  reactTools,
  ...request
}: LlmRequest): Sent<GenerateRequest> {
  const { sessionId, executionId, messages, tools, toolChoice } = request;
  return {
    sessionId,
    executionId,
    toolChoice,
    purpose: purpose?.toLowerCase(),
    messages: messages.map((message) => ({ ...message, role: message.role.toLowerCase() })),
    llmConfig: llm,
    tools: tools.map(toolToWire),
    task: task && taskToWire(task),
    react: reactTools && { tools: reactTools.map(toolToWire) },
  };
}

const toolToWire = oncePer(
  ({ inputSchema, toolClass, ...tool }: LlmTool): Sent<ToolDefinition> => ({
    ...tool,
    parametersSchema: JSON.stringify(inputSchema),
    toolClass: TOOL_CLASSES[toolClass],
  }),
);
