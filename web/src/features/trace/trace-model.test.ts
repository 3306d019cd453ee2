import { describe, expect, it } from 'vitest';
import type { LlmHeadFragment, McpHeadFragment } from '../../graphql/gen/documents.ts';
import { ticksOf } from './time-axis.tsx';
import {
  type AgentNode,
  agentTree,
  coveredTime,
  interactionsOf,
  positionWithin,
  roundedPercents,
  stageSpan,
  type TraceExecution,
  type TraceSession,
  type TraceStage,
  timeShares,
  usageWithSubAgents,
} from './trace-model.ts';
import { totalsOf } from './trace-totals.ts';

const ZERO = Date.parse('2026-11-21T03:00:00.000Z');
const at = (second: number): string => new Date(ZERO + second * 1_000).toISOString();
const tokenUsage = {
  inputTokens: 1,
  outputTokens: 1,
  thinkingTokens: 0,
  totalTokens: 2,
  cachedReadTokens: 0,
  cacheWriteTokens: 0,
};
const cost = { usd: 0, unpricedCalls: 0 };

const llm = (id: string, from: number, to: number): LlmHeadFragment => ({
  id,
  type: 'ITERATION',
  iteration: 1,
  modelName: 'm',
  provider: 'p',
  durationMs: (to - from) * 1_000,
  errorMessage: null,
  createdAt: at(to),
  cost,
  tokenUsage,
});
const mcp = (id: string, from: number, to: number): McpHeadFragment => ({
  id,
  serverName: 'host',
  toolName: 'disk',
  durationMs: (to - from) * 1_000,
  errorMessage: null,
  createdAt: at(to),
});

function stage(
  type: 'INVESTIGATION' | 'CHAT',
  from: number,
  to: number | null,
  own: { llm: LlmHeadFragment[]; mcp?: McpHeadFragment[] }[],
): TraceStage {
  return {
    stage: {
      id: `${type}-${from}`,
      name: type,
      index: 1,
      type,
      status: to === null ? 'ACTIVE' : 'COMPLETED',
      errorMessage: null,
      startedAt: at(from),
      completedAt: to === null ? null : at(to),
    },
    executions: own.map(({ llm: llmInteractions, mcp: mcpInteractions = [] }) => ({
      execution: {} as TraceStage['executions'][number]['execution'],
      llmInteractions,
      mcpInteractions,
    })),
  };
}

const session = (to: number | null, stages: TraceStage[], own: LlmHeadFragment[] = []): TraceSession => ({
  id: 's',
  alertType: 't',
  title: '',
  status: 'COMPLETED',
  report: null,
  startedAt: at(0),
  completedAt: to === null ? null : at(to),
  eventCursor: 'c',
  cost,
  tokenUsage,
  trace: { stages, sessionInteractions: own },
});

describe('exchangesOf', () => {
  it('sorts model and tool calls by their start', () => {
    const order = interactionsOf({
      llmInteractions: [llm('a', 0, 5), llm('c', 8, 9)],
      mcpInteractions: [mcp('b', 5, 8)],
    });
    expect(order.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(order[1]).toMatchObject({ kind: 'mcp', start: ZERO + 5_000, end: ZERO + 8_000 });
  });
});

describe('timeShares', () => {
  it('adds up to the total, counting parallel calls once', () => {
    const agents = [{ llm: [llm('a', 0, 4)], mcp: [mcp('b', 4, 7)] }, { llm: [llm('c', 2, 5)] }];
    const shares = timeShares(session(10, [stage('INVESTIGATION', 0, 8, agents)], [llm('d', 8, 9)]), 0);
    expect(shares).toEqual({ total: 10_000, models: 6_000, tools: 2_000, rest: 2_000 });
  });

  it('ignores questions, which are asked after the end', () => {
    const chat = stage('CHAT', 100, 120, [{ llm: [llm('q', 100, 120)] }]);
    expect(timeShares(session(10, [chat]), 0)).toEqual({ total: 10_000, models: 0, tools: 0, rest: 10_000 });
  });

  it('ignores later scoring and memory calls', () => {
    const score: LlmHeadFragment = { ...llm('s', 50, 60), type: 'SCORING' };
    const memory: LlmHeadFragment = { ...llm('m', 8, 12), type: 'MEMORY' };
    const late = llm('l', 11, 13); // recorded by a process with a different clock
    const agents = [{ llm: [llm('a', 0, 4), late] }];
    const shares = timeShares(session(10, [stage('INVESTIGATION', 0, 8, agents)], [score, memory]), 0);
    expect(shares).toEqual({ total: 10_000, models: 4_000, tools: 0, rest: 6_000 });
  });

  it('is rounded to percentages that add up to 100', () => {
    expect(roundedPercents([33, 5, 966])).toEqual([3, 1, 96]);
    expect(roundedPercents([1, 1, 1])).toEqual([34, 33, 33]);
    expect(roundedPercents([0, 0, 7])).toEqual([0, 0, 100]);
    expect(roundedPercents([0, 0])).toEqual([0, 0]);
  });

  it('ends a running investigation now', () => {
    expect(timeShares(session(null, []), ZERO + 3_000).total).toBe(3_000);
  });
});

describe('spans', () => {
  it('counts overlapping time once', () => {
    const spans = [
      { start: 0, end: 5 },
      { start: 1, end: 2 },
      { start: 4, end: 8 },
      { start: 10, end: 11 },
    ];
    expect(coveredTime(spans)).toBe(9);
    expect(coveredTime([])).toBe(0);
  });

  it('includes interactions outside the stage’s own times', () => {
    const span = stageSpan(stage('INVESTIGATION', 1, 4, [{ llm: [llm('a', 0, 6)] }]), 0);
    expect(span).toEqual({ start: ZERO, end: ZERO + 6_000 });
  });

  it('keeps short and late bars visible and inside', () => {
    const whole = { start: 0, end: 1_000_000 };
    expect(positionWithin({ start: 0, end: 1 }, whole).width).toBe(0.5);
    const last = positionWithin({ start: 1_000_000, end: 1_000_000 }, whole);
    expect(last.left + last.width).toBeLessThanOrEqual(100);
    expect(positionWithin({ start: 5, end: 5 }, { start: 5, end: 5 })).toEqual({ left: 0, width: 0.5 });
  });
});

describe('totals', () => {
  it('are computed from the interactions, with later calls separate', () => {
    const listing: McpHeadFragment = { ...mcp('t', 0, 0), toolName: null };
    const priced: LlmHeadFragment = { ...llm('b', 1, 2), cost: { usd: 0.5, unpricedCalls: 0 } };
    const score: LlmHeadFragment = { ...llm('s', 50, 60), type: 'SCORING' };
    const stages = [
      stage('INVESTIGATION', 0, 8, [{ llm: [llm('a', 0, 4), priced], mcp: [listing, mcp('c', 4, 5)] }]),
      stage('CHAT', 100, 120, [{ llm: [llm('q', 100, 120)], mcp: [mcp('d', 101, 102)] }]),
    ];
    const { investigation, afterwards } = totalsOf(session(10, stages, [llm('e', 8, 9), score]));
    expect(investigation).toMatchObject({ modelCalls: 3, toolCalls: 1, totalTokens: 6, cost: { usd: 0.5 } });
    expect(afterwards).toMatchObject({ modelCalls: 2, toolCalls: 1, totalTokens: 4, inputTokens: 2 });
  });
});

describe('ticks of a time axis', () => {
  const labels = (start: number, end: number, origin = 0) =>
    ticksOf({ start, end }, origin).map(({ label }) => label);
  it('are few and round, and relative to the start of the investigation', () => {
    expect(labels(0, 1_000)).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms', '1 s']);
    expect(labels(1_100, 2_000)).toEqual(['1.2 s', '1.4 s', '1.6 s', '1.8 s', '2 s']);
    expect(labels(0, 200_000)).toEqual(['0', '1 m 00 s', '2 m 00 s', '3 m 00 s']);
    expect(labels(ZERO + 61_000, ZERO + 71_000, ZERO)).toEqual([
      '1 m 02 s',
      '1 m 04 s',
      '1 m 06 s',
      '1 m 08 s',
      '1 m 10 s',
    ]);
    expect(ticksOf({ start: 50, end: 150 }, 0).map(({ left }) => left)).toEqual([10, 30, 50, 70, 90]);
    expect(ticksOf({ start: 7, end: 7 }, 0)).toHaveLength(1);
    expect(ticksOf({ start: 0, end: 90 * 24 * 3_600_000 }, 0).length).toBeLessThan(8);
  });
});

describe('sub-agents', () => {
  const agent = (id: string, parentId: string | null, usd: number): TraceExecution => ({
    execution: {
      id,
      parentId,
      cost: { usd, unpricedCalls: 1 },
      tokenUsage,
    } as unknown as TraceExecution['execution'],
    llmInteractions: [],
    mcpInteractions: [],
  });
  const agents = [
    agent('a', null, 1),
    agent('b', null, 2),
    agent('c', 'a', 4),
    agent('d', 'b', 8),
    agent('e', 'c', 16),
  ];

  const shape = ({ traced, depth, rows, others }: AgentNode): unknown => [
    `${depth}${traced.execution.id}`,
    ...rows.map(({ interaction, started }) => [interaction.key, ...started.map(shape)]),
    ...others.map(shape),
  ];

  it('follow the call that started them, or their agent if the call is not shown', () => {
    const [a, b, c, d, e] = agents as [
      TraceExecution,
      TraceExecution,
      TraceExecution,
      TraceExecution,
      TraceExecution,
    ];
    const lead = { ...a, mcpInteractions: [mcp('look', 0, 1), mcp('start', 1, 2), mcp('wait', 2, 3)] };
    const started = { ...c, execution: { ...c.execution, startedBy: { id: 'start' } } };
    expect(agentTree([lead, b, started, d, e]).map(shape)).toEqual([
      ['0a', ['look'], ['start', ['1c', ['2e']]], ['wait']],
      ['0b', ['1d']],
    ]);
    expect(agentTree([a, started]).map(shape)).toEqual([['0a', ['1c']]]);
  });

  it('are included in the agent’s usage; an agent without sub-agents has no sum', () => {
    expect(usageWithSubAgents(agents, 'a')).toEqual({ cost: { usd: 21, unpricedCalls: 3 }, totalTokens: 6 });
    expect(usageWithSubAgents(agents, 'c')).toEqual({ cost: { usd: 20, unpricedCalls: 2 }, totalTokens: 4 });
    expect(usageWithSubAgents(agents, 'e')).toBeNull();
  });
});
