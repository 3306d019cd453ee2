import type { LlmHeadFragment, McpHeadFragment, TracePageQuery } from '../../graphql/gen/documents.ts';

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
export type Interaction = Span &
  (
    | { readonly kind: 'llm'; readonly key: string; readonly head: LlmHeadFragment }
    | { readonly kind: 'mcp'; readonly key: string; readonly head: McpHeadFragment }
  );

/** Returns the period of an interaction; `createdAt` is its end, because it is recorded then. */
function spanOf(head: { readonly createdAt: string; readonly durationMs: number }): Span {
  const end = Date.parse(head.createdAt);
  return { start: end - head.durationMs, end };
}

/** Returns the interactions of an agent, or of the session itself, in the order in which they began. */
export function interactionsOf(owner: {
  readonly llmInteractions: readonly LlmHeadFragment[];
  readonly mcpInteractions?: readonly McpHeadFragment[];
}): readonly Interaction[] {
  const { llmInteractions, mcpInteractions = [] } = owner;
  const all: Interaction[] = [
    ...llmInteractions.map((head) => ({ kind: 'llm' as const, key: head.id, head, ...spanOf(head) })),
    ...mcpInteractions.map((head) => ({ kind: 'mcp' as const, key: head.id, head, ...spanOf(head) })),
  ];
  return all.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** An agent with its interactions and sub-agents. `depth` is 0 for an agent that the stage started. */
export interface AgentNode {
  readonly traced: TraceExecution;
  readonly depth: number;
  /** The interactions in the order in which they began, each with the sub-agents that it started. */
  readonly rows: readonly { readonly interaction: Interaction; readonly started: readonly AgentNode[] }[];
  /** Sub-agents whose start is not among the interactions. */
  readonly others: readonly AgentNode[];
}

/** Returns the agents that the stage started, with their sub-agents below the calls that started them. */
export function agentTree(executions: readonly TraceExecution[]): readonly AgentNode[] {
  const ids = new Set(executions.map(({ execution }) => execution.id));
  const below = Map.groupBy(executions, ({ execution: { parentId } }) =>
    parentId !== null && ids.has(parentId) ? parentId : null,
  );
  const nodesBelow = (parent: string | null, depth: number): AgentNode[] =>
    (below.get(parent) ?? []).map((traced) => {
      const interactions = interactionsOf(traced);
      const calls = new Set(interactions.map(({ key }) => key));
      const startOf = ({ traced: { execution } }: AgentNode): string | null => {
        const call = execution.startedBy?.id ?? '';
        return calls.has(call) ? call : null;
      };
      const byStart = Map.groupBy(nodesBelow(traced.execution.id, depth + 1), startOf);
      const rows = interactions.map((interaction) => ({
        interaction,
        started: byStart.get(interaction.key) ?? [],
      }));
      return { traced, depth, rows, others: byStart.get(null) ?? [] };
    });
  return nodesBelow(null, 0);
}

/** Returns the cost and tokens of an agent and all its sub-agents; `null` if it has no sub-agents. */
export function usageWithSubAgents(executions: readonly TraceExecution[], id: string) {
  const tree = withDescendants(executions, id);
  if (tree.length < 2) return null;
  const sum = (of: (execution: TraceExecution['execution']) => number): number =>
    tree.reduce((total, { execution }) => total + of(execution), 0);
  return {
    cost: { usd: sum(({ cost }) => cost.usd), unpricedCalls: sum(({ cost }) => cost.unpricedCalls) },
    totalTokens: sum(({ tokenUsage }) => tokenUsage.totalTokens),
  };
}

function withDescendants(executions: readonly TraceExecution[], id: string): TraceExecution[] {
  return executions.flatMap((one) => {
    if (one.execution.id === id) return [one];
    return one.execution.parentId === id ? withDescendants(executions, one.execution.id) : [];
  });
}

/** Returns the period of a stage and its interactions (until `now` if it runs); `null` if the stage has not begun. */
export function stageSpan({ stage, executions }: TraceStage, now: number): Span | null {
  const spans = executions.flatMap(interactionsOf);
  const own = ownSpan(stage, now);
  return enclosingSpan(own === null ? spans : [own, ...spans]);
}

/** Returns the period of a session or stage (until `now` if it runs); `null` if it has not begun. */
function ownSpan(
  { startedAt, completedAt }: { readonly startedAt: string | null; readonly completedAt: string | null },
  now: number,
): Span | null {
  if (startedAt === null) return null;
  const start = Date.parse(startedAt);
  return { start, end: Math.max(start, completedAt === null ? now : Date.parse(completedAt)) };
}

/** Returns the shortest span that contains all spans; `null` if there are none. */
export function enclosingSpan(spans: readonly Span[]): Span | null {
  if (spans.length === 0) return null;
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
  };
}

/** True for the stage of an answer, because viewers ask questions after the investigation. */
export function isAfterInvestigation({ type }: TraceStage['stage']): boolean {
  return type === 'CHAT';
}

/** False for the session's calls for scoring and memory, which run after the investigation. */
export function isPartOfInvestigation({ kind, head }: Interaction): boolean {
  return kind === 'mcp' || (head.type !== 'SCORING' && head.type !== 'MEMORY');
}

/** Returns the period of the investigation (until `now` if it runs); `null` if it has not begun. */
export function investigationSpan(session: TraceSession, now: number): Span | null {
  return ownSpan(session, now);
}

/** Elapsed time of an investigation by activity (ms); the other fields add up to `total`. */
export interface TimeShares {
  readonly total: number;
  /** Time in which at least one model call ran. */
  readonly models: number;
  /** Time in which tool calls ran, but no model call. */
  readonly tools: number;
  /** Time in which neither a model call nor a tool call ran. */
  readonly rest: number;
}

/** Returns the time shares of the investigation, without later questions, scoring and memory. */
export function timeShares(session: TraceSession, now: number): TimeShares {
  const whole = ownSpan(session, now);
  if (whole === null) return { total: 0, models: 0, tools: 0, rest: 0 };
  const stages = session.trace.stages.filter(({ stage }) => !isAfterInvestigation(stage));
  const agents = stages.flatMap(({ executions }) => executions);
  const exchanges = [
    ...agents.flatMap(interactionsOf),
    ...interactionsOf({ llmInteractions: session.trace.sessionInteractions }).filter(isPartOfInvestigation),
  ];
  const inside = exchanges
    .map(({ kind, start, end }) => ({
      kind,
      start: Math.max(start, whole.start),
      end: Math.min(end, whole.end),
    }))
    .filter(({ start, end }) => end > start);
  const models = coveredTime(inside.filter(({ kind }) => kind === 'llm'));
  const both = coveredTime(inside);
  const total = whole.end - whole.start;
  return { total, models, tools: both - models, rest: total - both };
}

/** Returns each part's percentage of the sum, as whole numbers that add up to 100; all 0 if the sum is 0. */
export function roundedPercents(parts: readonly number[]): number[] {
  const total = parts.reduce((all, part) => all + part, 0);
  if (total === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (100 * part) / total);
  const left = 100 - exact.reduce((all, share) => all + Math.floor(share), 0);
  // Percentages with the largest fractions are rounded up.
  const order = exact.map((_, index) => index).toSorted((a, b) => (exact[b]! % 1) - (exact[a]! % 1));
  return exact.map((share, index) => Math.floor(share) + (order.indexOf(index) < left ? 1 : 0));
}

/** Returns the time in ms that at least one of the spans covers. */
export function coveredTime(spans: readonly Span[]): number {
  let sum = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= reached) continue;
    sum += end - Math.max(start, reached);
    reached = end;
  }
  return sum;
}

/** Returns a span's position within `whole` in percent. The width is at least 0.5, so that the bar stays visible. */
export function positionWithin(span: Span, whole: Span): { readonly left: number; readonly width: number } {
  const length = Math.max(1, whole.end - whole.start);
  const left = clamp(((span.start - whole.start) / length) * 100, 0, 99.5);
  return { left, width: clamp(((span.end - span.start) / length) * 100, 0.5, 100 - left) };
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
