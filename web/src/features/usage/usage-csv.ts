import type { UsageFiguresFragment } from '../../graphql/gen/documents.ts';
import { csvOf } from '../../lib/csv.ts';

const COLUMNS = [
  ...['sessions', 'calls', 'input_tokens', 'cached_read_tokens', 'cache_write_tokens', 'output_tokens'],
  ...['thinking_tokens', 'total_tokens', 'cost_usd', 'unpriced_calls'],
];

/** Formats usage rows as CSV. `name` is the heading of the first column. */
export function usageCsv(name: string, rows: readonly UsageFiguresFragment[]): string {
  const lines = rows.map(({ key, sessions, calls, tokens, cost }) => [
    key,
    ...[sessions, calls, tokens.inputTokens, tokens.cachedReadTokens, tokens.cacheWriteTokens].map(String),
    ...[tokens.outputTokens, tokens.thinkingTokens, tokens.totalTokens].map(String),
    ...[cost.usd, cost.unpricedCalls].map(String),
  ]);
  return csvOf([[name.toLowerCase().replaceAll(' ', '_'), ...COLUMNS], ...lines]);
}
