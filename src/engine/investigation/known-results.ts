import type { SuccessPolicy } from '../../config/enums.ts';
import type { ExecutionStatus, StageType } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { StageAnalysis } from './stage-plans.ts';

/** A top-level agent of an investigation or synthesis stage, with its stored results. */
interface Work {
  stageId: string;
  stage: string;
  agent: string;
  /** For a synthesis, the stage whose results it joins. */
  joins: string | null;
  type: StageType;
  successPolicy: SuccessPolicy | null;
  status: ExecutionStatus;
  analysis: string | null;
  /** Numbered tool results of the agent and its sub-agents, as `[T12] server.tool`. */
  results: string[];
}

const WORKS = `select s.id as "stageId", s.name as stage, s.type, s.referenced_stage_id as joins,
      s.success_policy as "successPolicy", e.status, e.agent_name as agent, (
      select t.content from timeline_events t
      where t.session_id = $1 and t.execution_id = e.id and t.type = 'FINAL_ANALYSIS' and t.status = 'COMPLETED'
      order by t.sequence_number desc limit 1) as analysis, array(
      select '[T' || t.sequence_number || '] ' || coalesce(t.metadata ->> 'server_name', '') || '.' || coalesce(t.metadata ->> 'tool_name', '')
      from timeline_events t where t.session_id = $1 and t.stage_id = s.id and t.type = 'LLM_TOOL_CALL' and t.status in ('COMPLETED', 'FAILED')
        and t.execution_id in (select id from tree where root = e.id)
      order by t.sequence_number) as results
  from stages s join agent_executions e on e.stage_id = s.id and e.parent_execution_id is null
  where s.session_id = $1 and s.type in ('INVESTIGATION', 'SYNTHESIS') order by s.index, e.agent_index`;

const TREE = `with recursive tree as (
    select id, id as root from agent_executions where session_id = $1 and parent_execution_id is null
    union all
    select e.id, t.root from agent_executions e join tree t on e.parent_execution_id = t.id
  ) ${WORKS}`;

async function readWorks(db: Queryable, sessionId: string): Promise<Work[]> {
  return (await db.query<Work>(prepared(TREE), [sessionId])).rows;
}

/** Returns the works whose results no synthesis has joined; only the composition of all, if there is one. */
function lastWorks(works: readonly Work[]): Work[] {
  const composed = works.find((work) => work.type === 'SYNTHESIS' && work.joins === null);
  if (composed && composed.analysis !== null) return [composed];
  const joined = new Set(works.filter(({ analysis }) => analysis !== null).map(({ joins }) => joins));
  return works.filter(({ stageId }) => !joined.has(stageId));
}

/** True if the agents of each investigation stage that began have completed, as far as its success policy asks. */
function hasConcluded(works: readonly Work[]): boolean {
  const stages = [...Map.groupBy(works, ({ stageId }) => stageId).values()].filter(
    ([first]) => first!.joins === null,
  );
  const isCompleted = ({ status }: Work) => status === 'COMPLETED';
  return (
    stages.length > 0 &&
    stages.every((agents) =>
      agents[0]!.successPolicy === 'ALL' ? agents.every(isCompleted) : agents.some(isCompleted),
    )
  );
}

/** The stored results of an investigation that ended without a final analysis. */
export interface KnownResults {
  /** The stored analyses, each below the name of its stage and agent; `null` if there are none. */
  analyses: string | null;
  /** The analyses and a list of the tool results that no analysis covers; `null` if there is neither. */
  all: string | null;
  toolResults: number;
  /** True if the agents of each stage that began have concluded. */
  hasConcluded: boolean;
}

export async function readKnownResults(db: Queryable, sessionId: string): Promise<KnownResults> {
  const all = await readWorks(db, sessionId);
  const works = lastWorks(all);
  const analysed = works.flatMap(({ stage, agent, analysis }) =>
    analysis === null ? [] : [{ name: `${stage}: ${agent}`, finalAnalysis: analysis }],
  );
  const open = works.filter(({ analysis, results }) => analysis === null && results.length > 0);
  const listed = open.flatMap(({ results }) => results.map((result) => `- ${result}`));
  const unread = `No model wrote a conclusion, because the time was over. Stored tool results: ${listed.length}\n\n${listed.join('\n')}`;
  const parts =
    listed.length === 0 ? analysed : [...analysed, { name: 'Not analysed', finalAnalysis: unread }];
  return {
    analyses: joinAnalyses(analysed),
    all: joinAnalyses(parts),
    hasConcluded: hasConcluded(all),
    toolResults: all.reduce((sum, { results }) => sum + results.length, 0),
  };
}

/** Returns the stored analyses of a stage's agents, joined; `null` if there are none. */
export async function readStageAnalyses(
  db: Queryable,
  { sessionId, stageId }: { sessionId: string; stageId: string },
): Promise<string | null> {
  const works = (await readWorks(db, sessionId)).filter((work) => work.stageId === stageId);
  return joinAnalyses(
    works.flatMap(({ agent, analysis }) =>
      analysis === null ? [] : [{ name: agent, finalAnalysis: analysis }],
    ),
  );
}

/** Joins analyses to one text, each below its name. A single analysis stays as it is. */
export function joinAnalyses(analyses: readonly StageAnalysis[]): string | null {
  if (analyses.length <= 1) return analyses[0]?.finalAnalysis ?? null;
  return analyses.map(({ name, finalAnalysis }) => `## ${name}\n\n${finalAnalysis}`).join('\n\n');
}
