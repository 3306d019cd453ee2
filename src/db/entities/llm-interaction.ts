import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { LlmInteractionType } from '../enums.ts';
import { createdAt, id, oneOf, sqlIndexes, tokenCounts } from './columns.ts';

/** One model call. The input was the execution's messages up to `lastMessageSequence`; if null, `request.messages`. */
export const LlmInteraction = defineEntity({
  name: 'LlmInteraction',
  tableName: 'llm_interactions',
  properties: {
    id: id(),
    sessionId: p.uuid().primary(), // in each key, because the table is partitioned by it
    stageId: p.uuid().nullable(),
    executionId: p.uuid().nullable(),
    type: oneOf<LlmInteractionType>(),
    iteration: p.integer().nullable(), // 1-based
    provider: p.text(),
    modelName: p.text(),
    request: p.json<Record<string, unknown>>(),
    response: p.json<Record<string, unknown>>(),
    thinking: p.text().nullable(),
    lastMessageSequence: p.integer().nullable(),
    ...tokenCounts(),
    costUsd: p.double().$type<number>().nullable(), // null if the model has no known price
    durationMs: p.integer(),
    errorMessage: p.text().nullable(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'llm_interactions_session', properties: ['sessionId', 'createdAt', 'id'] },
    { name: 'llm_interactions_execution', properties: ['executionId', 'createdAt', 'id'] },
    { name: 'llm_interactions_stage', properties: ['stageId'] },
    ...sqlIndexes('llm_interactions', {
      llm_interactions_usage:
        '(created_at) include (session_id, model_name, input_tokens, output_tokens, thinking_tokens, total_tokens, cached_read_tokens, cache_write_tokens, cost_usd)', // for the usage of a period, with an index-only scan
    }),
  ],
});
export type LlmInteractionRow = InferEntity<typeof LlmInteraction>;
