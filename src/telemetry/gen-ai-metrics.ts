import type { EngineMetrics } from '../engine/api/observer.ts';
import { providerName } from './gen-ai.ts';
import type { Metrics } from './metrics.ts';

/** Buckets of the conventions of OpenTelemetry for `gen_ai.client.*`, in seconds and tokens. */
const DURATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
/** Buckets of the cost of one call (USD). The conventions have no metric of costs. */
const USD = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Creates the metrics of model calls that the conventions of OpenTelemetry name, and the cost of each call. */
export function createGenAiMetrics({ tracedHistogram, bounded }: Metrics): EngineMetrics['modelCalled'] {
  const labelNames = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
  const duration = tracedHistogram(
    'gen_ai_client_operation_duration_seconds',
    'Seconds of a model call.',
    DURATION_SECONDS,
    ...labelNames,
    'error_type',
  );
  const firstChunk = tracedHistogram(
    'gen_ai_client_operation_time_to_first_chunk_seconds',
    'Seconds from a model call to the first piece of its answer.',
    DURATION_SECONDS,
    ...labelNames,
  );
  const usage = tracedHistogram(
    'gen_ai_client_token_usage',
    'Tokens of a model call; output includes thinking.',
    TOKENS,
    ...labelNames,
    'gen_ai_token_type',
  );
  const cost = tracedHistogram(
    'tarsy_llm_call_cost_usd',
    'Cost of a model call with a known price (USD).',
    USD,
    ...labelNames,
  );
  return (call) => {
    const { errorCode, timeToFirstChunkMs, inputTokens, outputTokens, thinkingTokens, costUsd } = call;
    const traceId = call.traceparent?.split('-')[1] ?? null;
    const labels = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: providerName(call),
      gen_ai_request_model: call.model,
    };
    // A label that is empty counts as absent, as the conventions ask for calls without an error.
    const error_type = errorCode === null ? '' : bounded('error_type', errorCode);
    duration.observe({ ...labels, error_type }, call.durationMs / 1000, traceId);
    if (timeToFirstChunkMs !== null) firstChunk.observe(labels, timeToFirstChunkMs / 1000, traceId);
    if (inputTokens > 0) {
      usage.observe({ ...labels, gen_ai_token_type: 'input' }, inputTokens, traceId);
      usage.observe({ ...labels, gen_ai_token_type: 'output' }, outputTokens + thinkingTokens, traceId);
    }
    if (costUsd !== null) cost.observe(labels, costUsd, traceId);
  };
}
