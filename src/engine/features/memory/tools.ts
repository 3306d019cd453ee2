import { type Visibility, visibilityParameter, visibleSql } from '../../../access/visibility.ts';
import type { Config } from '../../../config/types.ts';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import { prepared } from '../../../db/prepared.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { BuiltinTool } from '../../common/builtin-tools.ts';
import { indexBeforeSearch } from '../../store/search-index.ts';
import { type PastSession, pastSessionsText, recalledText } from './prompts.ts';
import { type RecalledMemory, recall } from './recall.ts';

export interface RememberingRun {
  db: Queryable;
  config: Pick<Config, 'access' | 'defaults'>;
  session: Pick<AlertSessionRow, 'id' | 'alertType' | 'alertData' | 'team' | 'title' | 'entities'>;
}

const ALERT_UNITS = 4_000;

/**
 * Returns the teams whose memories and sessions an agent reads, in addition to those without a team; `null`:
 * all teams.
 */
function agentVisibility({ config, session }: RememberingRun): Visibility {
  if (config.access.teams === null) return null;
  return session.team ? [session.team] : [];
}

export async function recallForAlert(run: RememberingRun): Promise<RecalledMemory[]> {
  const { enabled, maxInject: limit, halfLifeDays } = run.config.defaults.memory;
  if (!enabled) return [];
  const { title, entities, alertType, alertData } = run.session;
  const text = [title, ...(entities ?? []), alertType, alertData.slice(0, ALERT_UNITS)].join('\n');
  return recall(run.db, { text, visibility: agentVisibility(run), limit, halfLifeDays });
}

/** Returns an agent's memory tools; none if memory is off or empty. @param onRecalled gets ids of recalled memories */
export async function memoryTools(
  run: RememberingRun,
  onRecalled: (ids: string[]) => void,
): Promise<BuiltinTool[]> {
  const { enabled, halfLifeDays } = run.config.defaults.memory;
  if (!enabled || !(await hasMemories(run))) return [];
  return [
    {
      name: 'tarsy.recall_past_investigations',
      description:
        'Returns lessons of past investigations about a problem, service or symptom: earlier causes, the setup of systems, what helped. Hints, not evidence.',
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 2000, description: 'The problem in a few words' },
          limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Maximum number; default 10' },
        },
        required: ['query'],
      },
      async run({ query, limit = 10 }) {
        const text = String(query);
        const visibility = agentVisibility(run);
        const memories = await recall(run.db, { text, visibility, limit: Number(limit), halfLifeDays });
        onRecalled(memories.map(({ id }) => id));
        return recalledText(memories);
      },
    },
    {
      name: 'tarsy.search_past_sessions',
      description:
        'Finds earlier investigations with all of the given words in their alert, tool results or analysis. Returns the findings and the rating of each. Hints, not evidence.',
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: 500,
            description: 'Words that the investigation must have',
          },
          alert_type: { type: 'string', description: 'Only alerts of this type' },
          days_back: { type: 'integer', minimum: 1, maximum: 365, description: 'Default 30' },
          limit: { type: 'integer', minimum: 1, maximum: 10, description: 'Maximum number; default 5' },
        },
        required: ['query'],
      },
      run: async (args) => pastSessionsText(await searchSessions(run, args)),
    },
  ];
}

async function hasMemories(run: RememberingRun): Promise<boolean> {
  const { rows } = await run.db.query(
    prepared(`select 1 from memories where not deprecated and ${visibleSql('team', '$1')} limit 1`),
    [visibilityParameter(agentVisibility(run))],
  );
  return rows.length > 0;
}

async function searchSessions(run: RememberingRun, args: Record<string, unknown>): Promise<PastSession[]> {
  const { query, alert_type: type = null, days_back: days = 30, limit = 5 } = args;
  const words = String(query)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  await indexBeforeSearch(run.db);
  const { rows } = await run.db.query<PastSession>(
    `select s.title, s.alert_type as "alertType", s.completed_at as "completedAt", s.rating,
       coalesce(s.executive_summary, left(s.final_analysis, 1200)) as summary
     from session_search d join alert_sessions s on s.id = d.session_id
     where d.document @@ plainto_tsquery('english', $1) and s.status = 'COMPLETED' and s.deleted_at is null
       and s.completed_at > now() - make_interval(days => $2) and ($3::text is null or s.alert_type = $3)
       and s.id <> $4 and not exists (select 1 from replays p where p.session_id = s.id) and ${visibleSql('s.team', '$5')}
     order by s.completed_at desc limit $6`,
    [words, days, type, run.session.id, visibilityParameter(agentVisibility(run)), limit],
  );
  return rows;
}
