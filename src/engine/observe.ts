import type { ToolCallRequest, ToolExecutor, ToolResult } from '../mcp/types.ts';
import type { Observer } from './api/observer.ts';
import type { ModelCallEnd } from './api/tracing.ts';
import { statusOfFailure } from './common/interruptions.ts';
import type { LlmChunk } from './model/chunks.ts';
import { type LlmClient, LlmError, type LlmRequest } from './model/client.ts';
import type { RunDeps } from './run-context/types.ts';

/** Returns a client that counts and traces every call. */
export function observedClient(client: LlmClient, observer: Observer): LlmClient {
  return {
    generate: (request, options) => observedCall(client, request, { ...options, observer }),
    close: () => client.close(),
  };
}

async function* observedCall(
  client: LlmClient,
  request: LlmRequest,
  { signal, observer: { metrics, tracing } }: { signal: AbortSignal; observer: Observer },
): AsyncGenerator<LlmChunk> {
  const { llm, sessionId, messages, iteration = null, purpose = null } = request;
  const startedAt = performance.now();
  const span = tracing.modelCall({ llm, sessionId, messages, iteration, purpose });
  const call = startedCall();
  try {
    for await (const chunk of client.generate({ ...request, traceparent: span.traceparent }, { signal })) {
      if (!SIGNS_OF_LIFE.has(chunk.kind)) call.timeToFirstChunkMs ??= performance.now() - startedAt;
      addChunk(call, chunk);
      yield chunk;
    }
    call.errorCode = null;
  } catch (error) {
    call.errorCode = error instanceof LlmError ? error.code : statusOfFailure(error).toLowerCase();
    throw error;
  } finally {
    const durationMs = performance.now() - startedAt;
    const { traceparent } = span;
    metrics.modelCalled({ provider: llm.provider, model: llm.model, durationMs, traceparent, ...call });
    span.end(call);
  }
}

/** Chunks that the LLM service sends before the answer. */
const SIGNS_OF_LIFE: ReadonlySet<LlmChunk['kind']> = new Set(['waiting', 'toolsLeftOut']);

type RunningCall = ModelCallEnd & { toolCalls: Extract<LlmChunk, { kind: 'toolCall' }>[] };

function startedCall(): RunningCall {
  return {
    errorCode: 'abandoned', // stays if the consumer leaves the loop early, as on a runaway response
    timeToFirstChunkMs: null,
    inputTokens: 0,
    outputTokens: 0,
    thinkingTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    costUsd: null,
    text: '',
    toolCalls: [],
  };
}

function addChunk(call: RunningCall, chunk: LlmChunk): void {
  if (chunk.kind === 'text') call.text += chunk.text;
  else if (chunk.kind === 'textWasThinking') call.text = '';
  else if (chunk.kind === 'toolCall') call.toolCalls.push(chunk);
  else if (chunk.kind === 'usage') {
    const { inputTokens, outputTokens, thinkingTokens, cachedInputTokens, cacheWriteTokens } = chunk;
    const { costUsd = null } = chunk;
    Object.assign(call, { inputTokens, outputTokens, thinkingTokens, cachedInputTokens, cacheWriteTokens });
    call.costUsd = costUsd;
  }
}

/** Returns a connector to MCP servers whose tool calls are counted and traced. */
export function observedTools(
  connectTools: RunDeps['connectTools'],
  observer: Observer,
): RunDeps['connectTools'] {
  return async (...connection) => observedExecutor(await connectTools(...connection), observer);
}

function observedExecutor(executor: ToolExecutor, { metrics, tracing }: Observer): ToolExecutor {
  return {
    ...executor,
    async execute(call, options) {
      const startedAt = performance.now();
      const span = tracing.toolCall(call);
      let result: ToolResult | null = null;
      try {
        result = await executor.execute(call, { ...options, traceparent: span.traceparent });
        return result;
      } finally {
        const durationMs = performance.now() - startedAt;
        const called = calledTool(executor, call, result) ?? { server: '', tool: '' };
        const errorCode = result === null ? 'cut_off' : errorCodeOf(result);
        metrics.toolCalled({ ...called, durationMs, isError: errorCode !== null });
        span.end({
          ...{ ...called, errorCode, arguments: called.tool === '' ? null : call.arguments },
          result: called.tool === '' ? null : (result?.content ?? null),
          mcp: result?.session ?? null,
        });
      }
    },
  };
}

/** Returns the called tool; `null` if it does not exist, because the model invented its name. */
function calledTool(executor: ToolExecutor, call: ToolCallRequest, result: ToolResult | null) {
  const known = result === null ? executor.resolveCall(call) : null;
  if (known !== null) return { server: known.server, tool: known.tool };
  // Only existing tools have parsed arguments.
  return result && result.arguments !== null ? { server: result.serverName, tool: result.toolName } : null;
}

function errorCodeOf({ isError, errorCode = 'tool_error' }: ToolResult): string | null {
  return isError ? errorCode : null;
}
