import type { ToolExecutor } from '../mcp/types.ts';
import type { Observer } from './api/observer.ts';
import { statusOfFailure } from './common/interruptions.ts';
import type { LlmChunk } from './model/chunks.ts';
import { type LlmClient, LlmError, type LlmRequest } from './model/client.ts';
import type { RunDeps } from './run-context/types.ts';

/** Returns a client that counts and traces every call. */
export function observedClient(client: LlmClient, observer: Observer): LlmClient {
  return {
    generate: (request, options) => observedCall(client.generate(request, options), request, observer),
    close: () => client.close(),
  };
}

async function* observedCall(
  chunks: AsyncIterable<LlmChunk>,
  { llm, iteration }: LlmRequest,
  { metrics, tracing }: Observer,
): AsyncGenerator<LlmChunk> {
  const startedAt = performance.now();
  const facts = { 'gen_ai.provider.name': llm.provider, 'gen_ai.request.model': llm.model };
  const span = tracing.modelCall(iteration ?? null, facts);
  const usage = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, costUsd: null as number | null };
  let errorCode: string | null = 'abandoned'; // stays if the consumer leaves the loop early, as on a runaway response
  try {
    for await (const chunk of chunks) {
      if (chunk.kind === 'usage') {
        const { inputTokens, outputTokens, thinkingTokens, costUsd = null } = chunk;
        Object.assign(usage, { inputTokens, outputTokens, thinkingTokens, costUsd });
      }
      yield chunk;
    }
    errorCode = null;
  } catch (error) {
    errorCode = error instanceof LlmError ? error.code : statusOfFailure(error).toLowerCase();
    throw error;
  } finally {
    const durationMs = performance.now() - startedAt;
    metrics.modelCalled({ provider: llm.provider, model: llm.model, durationMs, errorCode, ...usage });
    span.end(errorCode, {
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    });
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
      const span = tracing.toolCall({});
      let errorCode: string | null = 'cut_off';
      let called = { server: '', tool: '' };
      try {
        const result = await executor.execute(call, options);
        // Only existing tools have parsed arguments; the model invented any other name.
        if (result.arguments !== null) called = { server: result.serverName, tool: result.toolName };
        errorCode = result.isError ? 'tool_error' : null;
        return result;
      } finally {
        const durationMs = performance.now() - startedAt;
        metrics.toolCalled({ ...called, durationMs, isError: errorCode !== null });
        span.end(errorCode, { 'mcp.server.name': called.server, 'gen_ai.tool.name': called.tool });
      }
    },
  };
}
