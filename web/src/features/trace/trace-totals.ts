import type { CostFigures } from '../../lib/cost.ts';
import {
  type Exchange,
  exchangesOf,
  isAfterwards,
  ofInvestigation,
  type TraceSession,
} from './trace-model.ts';

/** The totals of several calls. */
export interface Sums {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly cost: CostFigures;
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Returns the totals of the investigation, and of the later calls for questions, scores and memory. */
export function sumsOf({ trace }: TraceSession): { readonly investigation: Sums; readonly afterwards: Sums } {
  const agents = trace.stages.flatMap(({ stage, executions }) =>
    executions.flatMap(({ llmInteractions, mcpInteractions }) =>
      exchangesOf(llmInteractions, mcpInteractions).map((exchange) => ({
        exchange,
        isAfter: isAfterwards(stage),
      })),
    ),
  );
  const own = exchangesOf(trace.sessionInteractions, []).map((exchange) => ({
    exchange,
    isAfter: !ofInvestigation(exchange),
  }));
  const [after, before] = [true, false].map((which) =>
    [...agents, ...own].filter(({ isAfter }) => isAfter === which).map(({ exchange }) => exchange),
  );
  return { investigation: sum(before ?? []), afterwards: sum(after ?? []) };
}

function sum(exchanges: readonly Exchange[]): Sums {
  const calls = exchanges.flatMap((each) => (each.kind === 'llm' ? [each.head] : []));
  // Listing a server's tools is not a tool call.
  const tools = exchanges.filter((each) => each.kind === 'mcp' && each.head.toolName !== null);
  const total = (of: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((all, call) => all + of(call), 0);
  return {
    modelCalls: calls.length,
    toolCalls: tools.length,
    cost: { usd: total(({ cost }) => cost.usd), unpricedCalls: total(({ cost }) => cost.unpricedCalls) },
    totalTokens: total(({ tokenUsage }) => tokenUsage.totalTokens),
    inputTokens: total(({ tokenUsage }) => tokenUsage.inputTokens),
    outputTokens: total(({ tokenUsage }) => tokenUsage.outputTokens),
    thinkingTokens: total(({ tokenUsage }) => tokenUsage.thinkingTokens),
    cachedReadTokens: total(({ tokenUsage }) => tokenUsage.cachedReadTokens),
    cacheWriteTokens: total(({ tokenUsage }) => tokenUsage.cacheWriteTokens),
  };
}
