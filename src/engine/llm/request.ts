import type { LlmInteractionType } from '../../db/enums.ts';
import type { ToolAnnotations, ToolClass } from '../../mcp/tool-class.ts';
import { type GenerateRequest, type ToolDefinition, ToolClass as WireToolClass } from './gen/llm_service.ts';
import { type LlmTask, taskToWire } from './task.ts';

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
export interface LlmToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A tool that the model may call; `name` is canonical (`server.tool`), `inputSchema` a JSON Schema. */
export interface LlmTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  toolClass: ToolClass;
  annotations: ToolAnnotations;
}

/** Which model to call. Keys and credentials are named, never carried: the service reads its own environment. */
export interface LlmSettings {
  backend: string;
  provider: string;
  model: string;
  apiKeyEnv?: string | undefined;
  credentialsEnv?: string | undefined;
  baseUrl?: string | undefined;
  maxToolResultTokens?: number | undefined;
  /** Tokens that the model reads and writes at once. Not on the wire: the engine shortens by it. */
  contextWindow?: number | undefined;
  nativeTools?: Record<string, boolean> | undefined;
  project?: string | undefined;
  location?: string | undefined;
  api?: string | undefined;
  apiVersion?: string | undefined;
  modelFamily?: string | undefined;
  effort?: string | undefined;
  thinkingBudget?: number | undefined;
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
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
  /** The iteration that the call begins, for traces; none for a call within another piece of work. */
  iteration?: number | null | undefined;
}

const TOOL_CLASSES = {
  reads: WireToolClass.TOOL_CLASS_READS,
  changes: WireToolClass.TOOL_CLASS_CHANGES,
  undeclared: WireToolClass.TOOL_CLASS_UNDECLARED,
} as const satisfies Record<ToolClass, WireToolClass>;

/** The request as it goes over the wire. */
export function requestToWire(request: LlmRequest): GenerateRequest {
  const { llm } = request;
  return {
    sessionId: request.sessionId,
    executionId: request.executionId,
    purpose: request.purpose?.toLowerCase() ?? '',
    messages: request.messages.map((message) => ({
      role: message.role.toLowerCase(),
      content: message.content,
      toolCalls: [...(message.toolCalls ?? [])],
      toolCallId: message.toolCallId ?? '',
      toolName: message.toolName ?? '',
      failed: message.failed ?? false,
      providerTurn: Buffer.from(message.providerTurn ?? []),
    })),
    llmConfig: {
      backend: llm.backend,
      provider: llm.provider,
      model: llm.model,
      apiKeyEnv: llm.apiKeyEnv ?? '',
      credentialsEnv: llm.credentialsEnv ?? '',
      baseUrl: llm.baseUrl ?? '',
      maxToolResultTokens: llm.maxToolResultTokens ?? 0,
      nativeTools: llm.nativeTools ?? {},
      project: llm.project ?? '',
      location: llm.location ?? '',
      api: llm.api ?? '',
      apiVersion: llm.apiVersion ?? '',
      modelFamily: llm.modelFamily ?? '',
      effort: llm.effort ?? '',
      thinkingBudget: llm.thinkingBudget,
      maxOutputTokens: llm.maxOutputTokens,
      temperature: llm.temperature,
      headers: { ...llm.headers },
    },
    tools: request.tools.map(toolToWire),
    task: request.task && taskToWire(request.task),
    react: request.reactTools && { tools: request.reactTools.map(toolToWire) },
  };
}

function toolToWire({ annotations, ...tool }: LlmTool): ToolDefinition {
  return {
    name: tool.name,
    description: tool.description,
    parametersSchema: JSON.stringify(tool.inputSchema),
    toolClass: TOOL_CLASSES[tool.toolClass],
    annotations: {
      readOnly: annotations.readOnly ?? undefined,
      destructive: annotations.destructive ?? undefined,
      idempotent: annotations.idempotent ?? undefined,
      openWorld: annotations.openWorld ?? undefined,
    },
  };
}
