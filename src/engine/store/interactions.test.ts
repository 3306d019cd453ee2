import { expect, test } from 'vitest';
import { type LlmInteractionRecord, recordLlmCall } from './interactions.ts';

const IDS = { stageId: 's', executionId: 'e' };
const FAILED: LlmInteractionRecord = {
  ...{ type: 'ITERATION', iteration: 1, provider: 'openai', modelName: 'm', request: {}, response: {} },
  ...{ thinking: null, lastMessageSequence: null, usage: null, durationMs: 1.4, errorMessage: 'It broke.' },
};
const written = (record: Partial<LlmInteractionRecord>, ids = IDS as Parameters<typeof recordLlmCall>[0]) =>
  recordLlmCall(ids, { ...FAILED, ...record }).map(({ writer, row }) => [writer.name, row] as const);

test.each<[string, Partial<LlmInteractionRecord>, number | null]>([
  ['fails before the model answers', {}, 0],
  ['fails in the middle of a text', { response: { text: 'The disk' } }, null],
  ['fails while the model thinks', { thinking: 'Hm' }, null],
  ['succeeds', { response: { text: 'Full.' }, errorMessage: null }, null],
])('a call without usage that %s', (_, record, costUsd) => {
  const unpricedCalls = costUsd === null ? 1 : 0;
  expect(written(record)).toMatchObject([
    ['llm_call', { costUsd, totalTokens: 0, durationMs: 1 }],
    ['execution_change', { id: 'e', costUsd, unpricedCalls }],
  ]);
});

test('the usage of a call counts for its budgets, also outside of an agent', () => {
  const tokens = { inputTokens: 7, outputTokens: 2, thinkingTokens: 0, totalTokens: 9 };
  const budgets = [{ name: 'all', key: '', per: 'day' }] as const;
  const usage = { ...tokens, cachedReadTokens: 0, cacheWriteTokens: 0, costUsd: null, budgets };
  expect(written({ usage }, { stageId: null, executionId: null })).toMatchObject([
    ['llm_call', { costUsd: null, totalTokens: 9 }],
    ['budget_use', { name: 'all', key: '', per: 'day', usd: 0, tokens: 9 }],
  ]);
});
