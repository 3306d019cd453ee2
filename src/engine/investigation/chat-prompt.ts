import type { StageRow, TimelineEventRow } from '../../db/entities/index.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import { decodeRow } from '../live/event-log.ts';
import { type LlmWork, workOf } from '../model/task.ts';
import { formatHistory } from '../prompt-text/history.ts';
import { encloseUntrusted } from '../prompt-text/untrusted.ts';
import {
  type AgentPrompt,
  type AlertPrompt,
  agentSystemPrompt,
  alertSections,
} from '../run-context/investigation-prompt.ts';

/**
 * Reads a session's history before the stage of a question, oldest first, as text and as data: the work of all agents,
 * the executive summary, and earlier questions with their answers.
 */
export async function readChatHistory(
  db: Queryable,
  { sessionId, index }: StageRow,
): Promise<{ title: string; text: string; work: LlmWork }[]> {
  const { rows } = await db.query<{
    stage: string | null;
    agent: string | null;
    timeline: Record<string, unknown>[];
  }>(
    prepared(`select t.stage, t.agent, jsonb_agg(t.event order by t.sequence_number) as timeline from (
       select e.sequence_number, to_jsonb(e) as event, s.index, x.agent_index,
         case when s.id is null then null else s.index || '. ' || s.name end as stage,
         coalesce(p.agent_name || ' → ', '') || x.agent_name as agent
       from timeline_events e
       left join stages s on s.id = e.stage_id
       left join agent_executions x on x.id = e.execution_id
       left join agent_executions p on p.id = x.parent_execution_id
       where e.session_id = $1 and e.status <> 'STREAMING' and (s.id is null or s.index < $2)
     ) t group by t.stage, t.agent, t.index, t.agent_index
     order by min(min(t.sequence_number)) over (partition by t.index), t.agent_index nulls first`),
    [sessionId, index],
  );
  return rows
    .map(({ stage, agent, timeline }) => {
      const items = timeline.map((event) => decodeRow<TimelineEventRow>(event));
      const title = [stage ?? 'The investigation', ...(agent === null ? [] : [agent])].join(' · ');
      const work = { ...workOf(items), stage: stage ?? undefined, agent: agent ?? undefined };
      return { title, text: formatHistory(items), work };
    })
    .filter(({ text }) => text !== '');
}

interface ChatPrompt extends AlertPrompt, AgentPrompt {
  /** The investigation and earlier questions with their answers, oldest first. */
  history: readonly { title: string; text: string }[];
  question: string;
}

const CHAT_INSTRUCTIONS = `## Your task

An engineer asks a follow-up question about an investigation that has ended.

- Answer the question first, in one or two sentences, then give the evidence.
- Use the findings of the investigation; say when you do, because they may be out of date.
- Call tools when the question needs newer or other facts. Do not repeat the whole investigation.
- If neither the investigation nor the tools can answer it, say so.`;

export function chatSystemPrompt(prompt: ChatPrompt): string {
  return agentSystemPrompt(prompt, CHAT_INSTRUCTIONS);
}

export function chatUserPrompt(prompt: ChatPrompt): string {
  const history = prompt.history.map(
    ({ title, text }) => `### ${title}\n\n${encloseUntrusted('HISTORY', text)}`,
  );
  return [
    ...alertSections(prompt),
    `## The investigation so far\n\n${history.join('\n\n') || '(no findings)'}`,
    `## The question\n\n${encloseUntrusted('QUESTION', prompt.question)}${prompt.hasTools ? '' : '\n\nYou have no tools.'}`,
  ].join('\n\n');
}
