import { sanitize, sanitizeLine } from '../common/printable.ts';
import type { ExecutionState, SessionEvent, SessionOutcome, SessionState, StageState } from './contract.ts';
import { createFeed } from './feed.ts';
import { jsonLine, type Output } from './output.ts';
import { describeReport } from './report.ts';
import type { Style } from './style.ts';

/** Shows a session and its events on an output. */
export interface View {
  submitted(url: string): Promise<void>;
  event(event: SessionEvent): Promise<void>;
  outcome(outcome: SessionOutcome, ref: { sessionId: string; url: string; exitCode: number }): Promise<void>;
}

/** Creates a view for programs: one line of JSON for each event as received, then a line of type SessionOutcome. */
export function createJsonView(out: Output): View {
  return {
    submitted: async () => {},
    event: (event) => out.write(jsonLine(event)),
    outcome: (outcome, ref) => out.write(jsonLine({ __typename: 'SessionOutcome', ...ref, ...outcome })),
  };
}

/** Creates a view for users, with readable text. */
export function createTextView(out: Output, style: Style): View {
  let pending = '';
  const feed = createFeed((text) => {
    pending += text;
  }, style);
  const flush = (): Promise<void> => {
    const text = pending;
    pending = '';
    return out.write(text);
  };
  const agents = new Map<string, string>();
  const shown = new Set<string>();
  const agentOf = (execution: { id: string } | null) =>
    agents.size > 1 && execution !== null ? (agents.get(execution.id) ?? null) : null;

  return {
    submitted: (url) => out.write(`${style.dim(`Alert accepted: ${url}`)}\n`),
    event(event) {
      switch (event.__typename) {
        case 'SessionStatusChanged':
          feed.line(style.dim(describeSession(event.session)));
          break;
        case 'StageStatusChanged':
          for (const line of describeStage(event.stage, style)) feed.line(line);
          break;
        case 'ExecutionStatusChanged':
          agents.set(event.execution.id, event.execution.agentName);
          for (const line of describeExecution(event.execution, style)) feed.line(line);
          break;
        case 'TimelineEventCreated':
          shown.add(event.timelineEvent.type);
          feed.open(event.timelineEvent, agentOf(event.timelineEvent.execution));
          break;
        case 'TimelineEventCompleted':
          shown.add(event.timelineEvent.type); // an answer can become the final analysis when it completes
          feed.complete(event.timelineEvent, agentOf(event.timelineEvent.execution));
          break;
        case 'StreamChunk':
          feed.chunk(event.timelineEventId, event.offset, event.delta);
      }
      return flush();
    },
    outcome(outcome, { url }) {
      feed.flush();
      pending += `${describeOutcome(outcome, shown, style)}${url}\n`;
      return flush();
    },
  };
}

function describeOutcome(outcome: SessionOutcome, shown: ReadonlySet<string>, style: Style): string {
  const { status, errorMessage, finalAnalysis, executiveSummary, executiveSummaryError } = outcome;
  const lines: string[] = outcome.report ? [...describeReport(outcome.report, style), ''] : [];
  if (finalAnalysis !== null && !shown.has('FINAL_ANALYSIS')) {
    lines.push(style.bold('── Final analysis'), sanitize(finalAnalysis), '');
  }
  if (executiveSummary !== null && !shown.has('EXECUTIVE_SUMMARY')) {
    lines.push(style.bold('── Executive summary'), sanitize(executiveSummary), '');
  }
  if (executiveSummaryError !== null) {
    lines.push(style.dim(`No executive summary: ${sanitizeLine(executiveSummaryError)}`));
  }
  if (errorMessage !== null) lines.push(style.red(sanitizeLine(errorMessage)));
  const paint = status === 'COMPLETED' ? style.green : style.red;
  lines.push(`${paint(sanitizeLine(status))} ${describeFigures(outcome)}`.trimEnd());
  return `${lines.join('\n')}\n`;
}

function describeStage({ index, name, status, errorMessage }: StageState, style: Style): string[] {
  if (status === 'ACTIVE') return [style.bold(`■ Stage ${index}: ${sanitizeLine(name)}`)];
  return errorMessage === null ? [] : [style.red(`■ Stage ${index}: ${sanitizeLine(errorMessage)}`)];
}

function describeExecution(execution: ExecutionState, style: Style): string[] {
  const name = sanitizeLine(execution.agentName);
  if (execution.status === 'ACTIVE') {
    const model = [execution.llmProvider, execution.modelName].filter((part) => part !== null).join(' · ');
    return [`● ${name} ${style.dim(sanitizeLine(model))}`.trimEnd(), ''];
  }
  return execution.errorMessage === null
    ? []
    : [style.red(`● ${name}: ${sanitizeLine(execution.errorMessage)}`)];
}

function describeSession({ status, queuePosition }: SessionState): string {
  if (status !== 'PENDING') return sanitizeLine(status).toLowerCase().replaceAll('_', ' ');
  return queuePosition === null ? 'queued' : `queued, position ${queuePosition}`;
}

function describeFigures({ durationMs, tokenUsage }: SessionOutcome): string {
  const parts: string[] = [];
  if (durationMs !== null) parts.push(`in ${(durationMs / 1_000).toFixed(1)} s`);
  if (tokenUsage !== null) {
    const { inputTokens, outputTokens, thinkingTokens, totalTokens } = tokenUsage;
    const thinking = thinkingTokens > 0 ? `, thinking ${count(thinkingTokens)}` : '';
    parts.push(
      `${count(totalTokens)} tokens (in ${count(inputTokens)}, out ${count(outputTokens)}${thinking})`,
    );
  }
  return parts.join(' · ');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
