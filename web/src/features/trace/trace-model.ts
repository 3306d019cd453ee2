import type { LlmHeadFragment, McpHeadFragment, TracePageQuery } from '../../graphql/gen/documents.ts';
import { inTree, type Placed } from '../../lib/in-tree.ts';

/** What the trace page reads of a session. */
export type TraceSession = NonNullable<TracePageQuery['session']>;
export type TraceStage = TraceSession['trace']['stages'][number];
export type TraceExecution = TraceStage['executions'][number];

/** A stretch of time, in ms since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One exchange with a model or an MCP server, where it stands in time. */
export type Exchange = Span &
  (
    | { readonly kind: 'llm'; readonly key: string; readonly head: LlmHeadFragment }
    | { readonly kind: 'mcp'; readonly key: string; readonly head: McpHeadFragment }
  );

/** An exchange is recorded when it has ended: it began its duration before that. */
function spanOf(head: { readonly createdAt: string; readonly durationMs: number }): Span {
  const end = Date.parse(head.createdAt);
  return { start: end - head.durationMs, end };
}

/** The exchanges of one agent, or of the session itself, in the order in which they began. */
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

/** Agents, each followed by its sub-agents. */
export function agentTree(executions: readonly TraceExecution[]): Placed<TraceExecution>[] {
  return inTree(
    executions,
    ({ execution }) => execution.id,
    ({ execution }) => execution.parentId,
  );
}

/** What an agent and all below it took; null where nobody is below it. */
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

/** The time that a stage took, exchanges included; `now` ends what is still running. Null when it has not begun. */
export function stageSpan({ stage, executions }: TraceStage, now: number): Span | null {
  const spans = executions.flatMap((own) => exchangesOf(own.llmInteractions, own.mcpInteractions));
  const own = timesOf(stage, now);
  return hull(own === null ? spans : [own, ...spans]);
}

/** From begin to end of something that has both; null when it has not begun. */
function timesOf(
  { startedAt, completedAt }: { readonly startedAt: string | null; readonly completedAt: string | null },
  now: number,
): Span | null {
  if (startedAt === null) return null;
  const start = Date.parse(startedAt);
  return { start, end: Math.max(start, completedAt === null ? now : Date.parse(completedAt)) };
}

/** The shortest span that holds all of them; null for none. */
export function hull(spans: readonly Span[]): Span | null {
  if (spans.length === 0) return null;
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
  };
}

/** Questions are asked when an investigation has ended. */
export function isAfterwards({ type }: TraceStage['stage']): boolean {
  return type === 'CHAT';
}

/** Of the calls that belong to no agent, those that the investigation itself made. */
export function ofInvestigation({ kind, head }: Exchange): boolean {
  return kind === 'mcp' || (head.type !== 'SCORING' && head.type !== 'MEMORY');
}

/** From the begin of an investigation to its end, or to `now`; null when it has not begun. */
export function investigationSpan(session: TraceSession, now: number): Span | null {
  return timesOf(session, now);
}

/** Where the time of an investigation went, in ms of the clock on the wall; the parts add up to the whole. */
export interface TimeShares {
  readonly total: number;
  /** At least one model was writing. */
  readonly models: number;
  /** No model was, but at least one tool was working. */
  readonly tools: number;
  /** Neither. */
  readonly rest: number;
}

/** Questions are asked hours later: only the investigation itself is counted. */
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

/** Shares of a whole in full percents that add up to 100. */
export function percentsOf(parts: readonly number[]): number[] {
  const total = parts.reduce((all, part) => all + part, 0);
  if (total === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (100 * part) / total);
  const left = 100 - exact.reduce((all, share) => all + Math.floor(share), 0);
  // Those that lose most by being cut off get what is left.
  const order = exact.map((_, index) => index).toSorted((a, b) => (exact[b]! % 1) - (exact[a]! % 1));
  return exact.map((share, index) => Math.floor(share) + (order.indexOf(index) < left ? 1 : 0));
}

/** How much time at least one of the spans covers. */
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

/** Where a span lies within another one, in percent; never thinner than can be seen. */
export function placeWithin(span: Span, whole: Span): { readonly left: number; readonly width: number } {
  const length = Math.max(1, whole.end - whole.start);
  const left = clamp(((span.start - whole.start) / length) * 100, 0, 99.5);
  return { left, width: clamp(((span.end - span.start) / length) * 100, 0.5, 100 - left) };
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
