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
  /** Name of the tool. Set on TOOL, and on a USER message with the observation of a ReAct call. */
  toolName?: string | undefined;
  /** On TOOL: true if the call failed. */
  failed?: boolean | undefined;
  /** On ASSISTANT: the opaque data that the provider expects back with the message. */
  providerTurn?: Uint8Array | undefined;
}

/** A tool call of the model; `name` is canonical (`server.tool`), `arguments` a JSON object as text. */
export type LlmToolCall = ToolCall;

export type LlmTool = Omit<OfferedTool, 'repeatable' | 'ask'>;

/** Names the model to call. Keys and credentials are names of the LLM service's environment variables, never values. */
export interface LlmSettings extends Sent<LLMConfig> {
  backend: string;
  provider: string;
  model: string;
  /** The context window (tokens). Not sent: the engine shortens prompts to it. */
  contextWindow?: number | undefined;
}

/** One LLM call with the whole conversation, oldest message first. Without tools the model may not call any. */
export interface LlmRequest {
  sessionId: string;
  executionId: string;
  messages: readonly LlmMessage[];
  llm: LlmSettings;
  tools: readonly LlmTool[];
  purpose?: LlmInteractionType | undefined;
  task?: LlmTask | undefined;
  /** Tools that the model calls in ReAct text. `tools` is empty then. */
  reactTools?: readonly LlmTool[] | undefined;
  /** The tool that the answer must call. A model that cannot be forced to may answer with text. */
  toolChoice?: string | undefined;
  /** The iteration that the call begins, for traces; `null` if it begins none. */
  iteration?: number | null | undefined;
  /** W3C trace context of the call, which the LLM service receives; `null` or absent if calls are not traced. */
  traceparent?: string | null | undefined;
}

const TOOL_CLASSES = {
  reads: WireToolClass.TOOL_CLASS_READS,
  changes: WireToolClass.TOOL_CLASS_CHANGES,
  undeclared: WireToolClass.TOOL_CLASS_UNDECLARED,
} as const satisfies Record<ToolClass, WireToolClass>;

export function requestToWire(request: LlmRequest): Sent<GenerateRequest> {
  const { llm, purpose, task, reactTools, sessionId, executionId, messages, tools, toolChoice } = request;
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
