import type { CostFigures } from '../../lib/cost.ts';
import {
  type Interaction,
  interactionsOf,
  isAfterInvestigation,
  isPartOfInvestigation,
  type TraceSession,
} from './trace-model.ts';

/** The totals of several calls. */
export interface UsageTotals {
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
export function totalsOf({ trace }: TraceSession): {
  readonly investigation: UsageTotals;
  readonly afterwards: UsageTotals;
} {
  const agents = trace.stages.flatMap(({ stage, executions }) =>
    executions
      .flatMap(interactionsOf)
      .map((interaction) => ({ interaction, isAfter: isAfterInvestigation(stage) })),
  );
  const sessionCalls = interactionsOf({ llmInteractions: trace.sessionInteractions }).map((interaction) => ({
    interaction,
    isAfter: !isPartOfInvestigation(interaction),
  }));
  const [after, before] = [true, false].map((which) =>
    [...agents, ...sessionCalls]
      .filter(({ isAfter }) => isAfter === which)
      .map(({ interaction }) => interaction),
  );
  return { investigation: sum(before ?? []), afterwards: sum(after ?? []) };
}

function sum(interactions: readonly Interaction[]): UsageTotals {
  const calls = interactions.flatMap((each) => (each.kind === 'llm' ? [each.head] : []));
  // A request for a server's list of tools is not a tool call.
  const tools = interactions.filter((each) => each.kind === 'mcp' && each.head.toolName !== null);
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
