import type { McpSessionInfo } from '../../mcp/types.ts';

/** Attributes of a span that the conventions do not name. They must never contain text of an alert, a model or a tool. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** Traces investigations. Implementations must not throw or wait. All spans of a session form one trace. */
export interface Tracing {
  /** Runs the work of a request. The request becomes the root span of each session that it submits. */
  request<T>(request: TracedRequest, work: () => Promise<T>): Promise<T>;
  /** Starts the trace of a stored session with its root span: the current request, or a span of its own. */
  submitted(sessionId: string, facts: TraceAttributes): void;
  /** Traces one attempt at an investigation or an answer. */
  session<T extends Ended>(sessionId: string, facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  stage<T extends Ended>(facts: TraceAttributes, work: () => Promise<T>): Promise<T>;
  agent<T extends Ended>(agent: TracedAgent, work: () => Promise<T>): Promise<T>;
  /** Starts the span of a model call. A new `iteration` also starts a span around its model and tool calls. */
  modelCall(call: TracedModelCall): ModelSpan;
  toolCall(call: TracedToolCall): ToolSpan;
}

/** The outcome of traced work. Every status but COMPLETED marks the span as failed. */
export interface Ended {
  status: string;
}

export interface TracedRequest {
  method: string;
  /** Path with placeholders, such as `/webhooks/:source`. */
  route: string;
  path: string;
  /** Header `traceparent` of the caller; `null` if none. */
  traceparent: string | null;
  /** Header `tracestate` of the caller; `null` if none. */
  tracestate: string | null;
  /** Returns the HTTP status of the answer. Called when the work has ended. */
  status(): number;
}

export interface TracedAgent {
  sessionId: string;
  executionId: string;
  name: string;
  strategy: string;
  model: TracedModel;
}

/** The model of a call, and its provider's type, such as `google`. */
export interface TracedModel {
  provider: string;
  model: string;
  /** Address that replaces the provider's own; `null` or absent if none. */
  baseUrl?: string | null | undefined;
}

export interface TracedModelCall {
  sessionId: string;
  /** The iteration that the call begins; `null` if it begins none. */
  iteration: number | null;
  /** Purpose of the call, such as `ITERATION`; `null` if unspecified. */
  purpose: string | null;
  llm: TracedModel & { maxOutputTokens?: number | null | undefined; temperature?: number | null | undefined };
  /** The conversation, which spans show only if the configuration says so. */
  messages: readonly TracedMessage[];
}

export interface TracedMessage {
  role: string;
  content: string;
  toolCalls?: readonly TracedToolRequest[] | undefined;
  toolCallId?: string | undefined;
}

/** A tool call in a message; `arguments` is JSON as text. */
export interface TracedToolRequest {
  id: string;
  name: string;
  arguments: string;
}

/** Facts about an ended model call. Numbers of tokens are 0 if unknown. */
export interface ModelCallEnd {
  /** Stable code of the failure; `null` on success. */
  errorCode: string | null;
  /** Time to the first piece of the answer (ms); `null` if none arrived. */
  timeToFirstChunkMs: number | null;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  /** `null` if the price or the tokens are unknown. */
  costUsd: number | null;
  text: string;
  toolCalls: readonly TracedToolRequest[];
}

export interface ModelSpan {
  /** W3C trace context of the span, for the LLM service; `null` if calls are not traced. */
  traceparent: string | null;
  end(call: ModelCallEnd): void;
}

/** A tool call of the current agent, by the id that the model gave it. */
export interface TracedToolCall {
  id: string;
}

/** Facts about an ended tool call. */
export interface ToolCallEnd {
  /** Stable code of the failure; `null` on success. */
  errorCode: string | null;
  /** '' if the model named an unknown tool; `tool` is '' too then. */
  server: string;
  tool: string;
  /** The arguments as JSON; `null` if the call has none that can be read. */
  arguments: string | null;
  /** The masked result; `null` if there is none. */
  result: string | null;
  /** The MCP session that the call used; `null` if it reached no server. */
  mcp: McpSessionInfo | null;
}

export interface ToolSpan {
  /** W3C trace context of the span, for the MCP server; `null` if calls are not traced. */
  traceparent: string | null;
  end(call: ToolCallEnd): void;
}

const NO_SPAN = { traceparent: null, end() {} };

export const NO_TRACING: Tracing = {
  request: (_request, work) => work(),
  submitted() {},
  session: (_id, _facts, work) => work(),
  stage: (_facts, work) => work(),
  agent: (_agent, work) => work(),
  modelCall: () => NO_SPAN,
  toolCall: () => NO_SPAN,
};
