import { beginning, headAndTail } from '../../common/truncate.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import type { Task, ToolOutput } from './gen/llm_service.ts';
import type { Sent } from './wire.ts';

/**
 * Maximum length of each text in an LlmTask, and of all its tool outputs together (UTF-16 code units), so that a task
 * adds little to the size of a request.
 */
export const TASK_TEXT_UNITS = 100_000;
export const TASK_OUTPUTS_UNITS = 500_000;

/** The input of an answer as structured data, for backends that do not read prose. All of it is masked. */
export interface LlmTask {
  alert?: string | undefined;
  runbook?: string | null | undefined;
  instructions?: string | undefined;
  question?: string | undefined;
  /** The text to summarize. */
  shorten?: string | undefined;
  works?: readonly LlmWork[] | undefined;
}

export interface LlmWork {
  stage?: string | undefined;
  agent?: string | undefined;
  status?: string | undefined;
  error?: string | null | undefined;
  question?: string | undefined;
  analysis?: string | undefined;
  outputs?: readonly ToolOutput[] | undefined;
}

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

/** Returns the task in its wire format. Long texts keep their beginning; outputs and `shorten` also keep their end. */
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
