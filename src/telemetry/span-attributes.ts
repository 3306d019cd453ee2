import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_GEN_AI_AGENT_ID,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_TOOL_TYPE,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_MCP_METHOD_NAME,
  ATTR_MCP_PROTOCOL_VERSION,
  ATTR_MCP_SESSION_ID,
  ATTR_NETWORK_PROTOCOL_NAME,
  ATTR_NETWORK_TRANSPORT,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  MCP_METHOD_NAME_VALUE_TOOLS_CALL,
  NETWORK_TRANSPORT_VALUE_PIPE,
  NETWORK_TRANSPORT_VALUE_TCP,
} from '@opentelemetry/semantic-conventions/incubating';
import type {
  ModelCallEnd,
  ToolCallEnd,
  TracedAgent,
  TracedModel,
  TracedModelCall,
  TracedRequest,
} from '../engine/api/tracing.ts';
import { providerName } from './gen-ai.ts';

/** A span's name and the attributes known at its start. */
export interface SpanStart {
  name: string;
  attributes: Attributes;
}

export function requestSpan({ method, route, path }: TracedRequest): SpanStart {
  const attributes = {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    [ATTR_HTTP_ROUTE]: route,
    [ATTR_URL_PATH]: path,
    [ATTR_URL_SCHEME]: 'http',
  };
  return { name: `${method} ${route}`, attributes };
}

/** Returns the attributes of an answered request. Statuses from 500 are errors of the server. */
export function answerAttributes(status: number): Attributes {
  return {
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    ...(status >= 500 && { [ATTR_ERROR_TYPE]: String(status) }),
  };
}

export function conversationAttributes(sessionId: string): Attributes {
  return { [ATTR_GEN_AI_CONVERSATION_ID]: sessionId };
}

export function agentSpan({ sessionId, executionId, name, strategy, model }: TracedAgent): SpanStart {
  const attributes = {
    ...operation(GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT),
    ...conversationAttributes(sessionId),
    ...modelAttributes(model),
    [ATTR_GEN_AI_AGENT_NAME]: name,
    [ATTR_GEN_AI_AGENT_ID]: executionId,
    'tarsy.agent.strategy': strategy,
  };
  return { name: `${GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT} ${name}`, attributes };
}

export function modelSpan({ sessionId, purpose, llm }: TracedModelCall): SpanStart {
  const { maxOutputTokens = null, temperature = null } = llm;
  const attributes = {
    ...operation(GEN_AI_OPERATION_NAME_VALUE_CHAT),
    ...conversationAttributes(sessionId),
    ...modelAttributes(llm),
    [ATTR_GEN_AI_REQUEST_STREAM]: true,
    ...(maxOutputTokens !== null && { [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: maxOutputTokens }),
    ...(temperature !== null && { [ATTR_GEN_AI_REQUEST_TEMPERATURE]: temperature }),
    ...(purpose !== null && { 'tarsy.llm.purpose': purpose.toLowerCase() }),
  };
  return { name: `${GEN_AI_OPERATION_NAME_VALUE_CHAT} ${llm.model}`, attributes };
}

/** Returns the attributes of an ended model call. Without usage, the counts of tokens are left out. */
export function modelEndAttributes(call: ModelCallEnd): Attributes {
  const { inputTokens, outputTokens, thinkingTokens, cachedInputTokens, cacheWriteTokens } = call;
  const { timeToFirstChunkMs, costUsd } = call;
  return {
    ...(call.errorCode === null && { [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [finishReason(call)] }),
    ...(inputTokens > 0 && {
      [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: inputTokens,
      // By the conventions, output tokens include the tokens of thinking.
      [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: outputTokens + thinkingTokens,
    }),
    ...(thinkingTokens > 0 && { [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: thinkingTokens }),
    ...(cachedInputTokens > 0 && { [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: cachedInputTokens }),
    ...(cacheWriteTokens > 0 && { [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: cacheWriteTokens }),
    ...(timeToFirstChunkMs !== null && {
      [ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]: timeToFirstChunkMs / 1000,
    }),
    ...(costUsd !== null && { 'tarsy.llm.cost_usd': costUsd }),
  };
}

/** Returns why the model stopped, by the conventions' schema of output messages. */
export function finishReason({ errorCode, toolCalls }: ModelCallEnd): string {
  if (errorCode !== null) return 'error';
  return toolCalls.length > 0 ? 'tool_call' : 'stop';
}

export function toolSpan(callId: string, sessionId: string | null): SpanStart {
  const attributes = {
    ...operation(GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL),
    ...(sessionId !== null && conversationAttributes(sessionId)),
    [ATTR_GEN_AI_TOOL_TYPE]: 'function',
    [ATTR_GEN_AI_TOOL_CALL_ID]: callId,
  };
  return { name: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL, attributes };
}

/** Returns the name and the attributes of an ended tool call. A tool that the model invented is not named. */
export function toolEnd({ server, tool, mcp }: ToolCallEnd): SpanStart {
  const name = GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL;
  if (tool === '') return { name, attributes: {} };
  const attributes = {
    [ATTR_GEN_AI_TOOL_NAME]: tool,
    'tarsy.mcp.server': server,
    ...(mcp !== null && {
      [ATTR_MCP_METHOD_NAME]: MCP_METHOD_NAME_VALUE_TOOLS_CALL,
      ...(mcp.sessionId !== null && { [ATTR_MCP_SESSION_ID]: mcp.sessionId }),
      ...(mcp.protocolVersion !== null && { [ATTR_MCP_PROTOCOL_VERSION]: mcp.protocolVersion }),
      [ATTR_NETWORK_TRANSPORT]: mcp.url === null ? NETWORK_TRANSPORT_VALUE_PIPE : NETWORK_TRANSPORT_VALUE_TCP,
      ...(mcp.url !== null && { [ATTR_NETWORK_PROTOCOL_NAME]: 'http', ...addressOf(mcp.url) }),
    }),
  };
  return { name: `${name} ${tool}`, attributes };
}

const operation = (name: string): Attributes => ({ [ATTR_GEN_AI_OPERATION_NAME]: name });

function modelAttributes(model: TracedModel): Attributes {
  return {
    [ATTR_GEN_AI_PROVIDER_NAME]: providerName(model),
    [ATTR_GEN_AI_REQUEST_MODEL]: model.model,
    ...(model.baseUrl && addressOf(model.baseUrl)),
  };
}

/** Returns host and port of a URL without its user, path and query, which may hold secrets. */
function addressOf(url: string): Attributes {
  const parsed = URL.parse(url);
  if (parsed === null) return {};
  const port = Number(parsed.port) || (parsed.protocol === 'https:' ? 443 : 80);
  return { [ATTR_SERVER_ADDRESS]: parsed.hostname, [ATTR_SERVER_PORT]: port };
}
