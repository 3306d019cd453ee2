import { beginning, headAndTail } from '../../common/truncate.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { Task, ToolOutput } from './gen/llm_service.ts';
import type { Sent } from './wire.ts';

/**
 * Of a text, and of all tool outputs together, that a request carries as data beside its messages, in UTF-16 code units:
 * more than rules read of it, and little beside what the messages may hold.
 */
export const TASK_TEXT_UNITS = 100_000;

export const TASK_OUTPUTS_UNITS = 500_000;

/** What an answer is made of, as data: for backends that read no prose. Everything in it is masked. */
export interface LlmTask {
  alert?: string | undefined;
  runbook?: string | null | undefined;
  /** The operator's, for this agent. */
  instructions?: string | undefined;
  question?: string | undefined;
  /** What a summary is made of. */
  shorten?: string | undefined;
  works?: readonly LlmWork[] | undefined;
}

/** What one agent, or a whole stage, did and found. */
export interface LlmWork {
  stage?: string | undefined;
  agent?: string | undefined;
  status?: string | undefined;
  error?: string | null | undefined;
  /** That it answers. */
  question?: string | undefined;
  analysis?: string | undefined;
  outputs?: readonly ToolOutput[] | undefined;
}

/** What a timeline says of an agent's work. */
export function workOf(
  timeline: readonly Pick<TimelineEventRow, 'sequenceNumber' | 'type' | 'status' | 'content' | 'metadata'>[],
): Pick<LlmWork, 'question' | 'analysis' | 'outputs'> {
  const last = (type: TimelineEventRow['type']) =>
    timeline.findLast((item) => item.type === type && item.status === 'COMPLETED')?.content;
  const outputs = timeline
    .filter(({ type, status }) => type === 'LLM_TOOL_CALL' && status !== 'STREAMING')
    .map(({ sequenceNumber: number, status, content, metadata }) => ({
      number,
      tool: `${String(metadata?.server_name)}.${String(metadata?.tool_name)}`,
      arguments: String(metadata?.arguments ?? '{}'),
      content,
      failed: status !== 'COMPLETED',
    }));
  return { question: last('USER_QUESTION'), analysis: last('FINAL_ANALYSIS'), outputs };
}

/** The task as it goes over the wire: long texts by their beginning, outputs by beginning and end. */
export function taskToWire({ alert, runbook, instructions, question, shorten, works = [] }: LlmTask) {
  const text = (value: string | null | undefined) => beginning(value ?? '', TASK_TEXT_UNITS);
  const count = works.reduce((sum, { outputs = [] }) => sum + outputs.length, 0);
  const units = Math.min(TASK_TEXT_UNITS, Math.floor(TASK_OUTPUTS_UNITS / Math.max(1, count)));
  return {
    alert: text(alert),
    runbook: text(runbook),
    instructions: text(instructions),
    question: text(question),
    shorten: headAndTail(shorten ?? '', TASK_TEXT_UNITS),
    works: works.map(({ outputs = [], ...work }) => ({
      ...work,
      status: work.status?.toLowerCase(),
      error: text(work.error),
      question: text(work.question),
      analysis: text(work.analysis),
      outputs: outputs.map((output) => ({ ...output, content: headAndTail(output.content, units) })),
    })),
  } satisfies Sent<Task>;
}
