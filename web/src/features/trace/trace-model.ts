import type { LlmHeadFragment, McpHeadFragment, TracePageQuery } from '../../graphql/gen/documents.ts';
import { inTree, type Placed } from '../../lib/in-tree.ts';

/** A session with the fields that the trace page selects. */
export type TraceSession = NonNullable<TracePageQuery['session']>;
export type TraceStage = TraceSession['trace']['stages'][number];
export type TraceExecution = TraceStage['executions'][number];

/** A period of time, in ms since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An interaction with a model or an MCP server, with its period. */
export type Exchange = Span &
  (
    | { readonly kind: 'llm'; readonly key: string; readonly head: LlmHeadFragment }
    | { readonly kind: 'mcp'; readonly key: string; readonly head: McpHeadFragment }
  );

/** `createdAt` is the end of an interaction, because it is recorded then. */
function spanOf(head: { readonly createdAt: string; readonly durationMs: number }): Span {
  const end = Date.parse(head.createdAt);
  return { start: end - head.durationMs, end };
}

/** Returns the interactions of an agent, or of the session itself, in the order in which they began. */
export function exchangesOf(
  llm: readonly LlmHeadFragment[],
  mcp: readonly McpHeadFragment[],
): readonly Exchange[] {
  const all: Exchange[] = [
    ...llm.map((head) => ({ kind: 'llm' as const, key: head.id, head, ...spanOf(head) })),
    ...mcp.map((head) => ({ kind: 'mcp' as const, key: head.id, head, ...spanOf(head) })),
  ];
  return all.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns the agents, each followed by its sub-agents. */
export function agentTree(executions: readonly TraceExecution[]): Placed<TraceExecution>[] {
  return inTree(
    executions,
    ({ execution }) => execution.id,
    ({ execution }) => execution.parentId,
  );
}

/** Returns the cost and tokens of an agent and all its sub-agents; `null` if it has none. */
export function takenWithSubAgents(executions: readonly TraceExecution[], id: string) {
  const family = descend(executions, id);
  if (family.length < 2) return null;
  const sum = (of: (execution: TraceExecution['execution']) => number): number =>
    family.reduce((total, { execution }) => total + of(execution), 0);
  return {
    cost: { usd: sum(({ cost }) => cost.usd), unpricedCalls: sum(({ cost }) => cost.unpricedCalls) },
    totalTokens: sum(({ tokenUsage }) => tokenUsage.totalTokens),
  };
}

function descend(executions: readonly TraceExecution[], id: string): TraceExecution[] {
  return executions.flatMap((one) => {
    if (one.execution.id === id) return [one];
    return one.execution.parentId === id ? descend(executions, one.execution.id) : [];
  });
}

/** Returns the period of a stage and its interactions; a running stage ends at `now`. `null` if it has not begun. */
export function stageSpan({ stage, executions }: TraceStage, now: number): Span | null {
  const spans = executions.flatMap((own) => exchangesOf(own.llmInteractions, own.mcpInteractions));
  const own = timesOf(stage, now);
  return hull(own === null ? spans : [own, ...spans]);
}

/** Returns the period of a session or stage; `null` if it has not begun. */
function timesOf(
  { startedAt, completedAt }: { readonly startedAt: string | null; readonly completedAt: string | null },
  now: number,
): Span | null {
  if (startedAt === null) return null;
  const start = Date.parse(startedAt);
  return { start, end: Math.max(start, completedAt === null ? now : Date.parse(completedAt)) };
}

/** Returns the shortest span that contains all spans; `null` if there are none. */
export function hull(spans: readonly Span[]): Span | null {
  if (spans.length === 0) return null;
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
  };
}

/** True for the answer to a question, which is asked after the investigation. */
export function isAfterwards({ type }: TraceStage['stage']): boolean {
  return type === 'CHAT';
}

/** True unless the session's call belongs to scoring or memory, which run after the investigation. */
export function ofInvestigation({ kind, head }: Exchange): boolean {
  return kind === 'mcp' || (head.type !== 'SCORING' && head.type !== 'MEMORY');
}

/** Returns the period of the investigation; a running one ends at `now`. `null` if it has not begun. */
export function investigationSpan(session: TraceSession, now: number): Span | null {
  return timesOf(session, now);
}

/** Where the elapsed time of an investigation went, in ms; the parts add up to `total`. */
export interface TimeShares {
  readonly total: number;
  /** Time in which at least one model call ran. */
  readonly models: number;
  /** Time in which tool calls ran, but no model call. */
  readonly tools: number;
  /** Time without model and tool calls. */
  readonly rest: number;
}

/** Returns the time shares of the investigation; questions, which may come hours later, are not counted. */
export function timeShares(session: TraceSession, now: number): TimeShares {
  const whole = timesOf(session, now);
  if (whole === null) return { total: 0, models: 0, tools: 0, rest: 0 };
  const stages = session.trace.stages.filter(({ stage }) => !isAfterwards(stage));
  const agents = stages.flatMap(({ executions }) => executions);
  const exchanges = [
    ...agents.flatMap((own) => exchangesOf(own.llmInteractions, own.mcpInteractions)),
    ...exchangesOf(session.trace.sessionInteractions, []).filter(ofInvestigation),
  ];
  const inside = exchanges
    .map(({ kind, start, end }) => ({
      kind,
      start: Math.max(start, whole.start),
      end: Math.min(end, whole.end),
    }))
    .filter(({ start, end }) => end > start);
  const models = covered(inside.filter(({ kind }) => kind === 'llm'));
  const both = covered(inside);
  const total = whole.end - whole.start;
  return { total, models, tools: both - models, rest: total - both };
}

/** Returns the parts as whole percentages that add up to 100. */
export function percentsOf(parts: readonly number[]): number[] {
  const total = parts.reduce((all, part) => all + part, 0);
  if (total === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (100 * part) / total);
  const left = 100 - exact.reduce((all, share) => all + Math.floor(share), 0);
  // The largest remainders are rounded up.
  const order = exact.map((_, index) => index).toSorted((a, b) => (exact[b]! % 1) - (exact[a]! % 1));
  return exact.map((share, index) => Math.floor(share) + (order.indexOf(index) < left ? 1 : 0));
}

/** Returns the time in ms that at least one of the spans covers. */
export function covered(spans: readonly Span[]): number {
  let sum = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= reached) continue;
    sum += end - Math.max(start, reached);
    reached = end;
  }
  return sum;
}

/**
 * Returns the position of a span within another one, in percent; the width is at least 0.5, so that the bar stays
 * visible.
 */
export function placeWithin(span: Span, whole: Span): { readonly left: number; readonly width: number } {
  const length = Math.max(1, whole.end - whole.start);
  const left = clamp(((span.start - whole.start) / length) * 100, 0, 99.5);
  return { left, width: clamp(((span.end - span.start) / length) * 100, 0.5, 100 - left) };
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
