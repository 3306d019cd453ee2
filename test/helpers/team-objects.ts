import type { Pool } from 'pg';
import { globalId, insertRow, insertSession } from './http-api.ts';
import { insertInvestigation } from './investigation.ts';
import { insertReport } from './report.ts';

/** Returns a marker of the team, which the team's objects contain wherever they store text. */
export const markOf = (team: string | null): string => `belongs-to-${team ?? 'nobody'}`;

/** Stores one object of each team-owned type for this team. Returns global ids by type. */
export async function insertTeamObjects(pool: Pool, team: string | null): Promise<Record<string, string>> {
  const mark = markOf(team);
  const moment = new Date();
  const group = await insertRow(pool, 'alert_groups', {
    ...{ source: 's', group_key: mark, title: mark, severity: 'ERROR', state: 'FIRING' },
    ...{ alert_type: mark, opened_at: moment, last_received_at: moment, team },
  });
  const alert = await insertRow(pool, 'alerts', {
    ...{ group_id: group, source: 's', fingerprint: mark, title: mark, severity: 'ERROR', state: 'FIRING' },
    ...{ labels: JSON.stringify({ of: mark }), annotations: '{}', starts_at: moment },
    ...{ first_received_at: moment, last_received_at: moment },
  });
  const named = { alert_type: mark, chain_id: mark, author: mark, final_analysis: mark, rating: 'ACCURATE' };
  const made = await insertInvestigation(pool, mark, { team, group_id: group, ...named });
  await insertReport(pool, made.session, { headline: mark, entities: [mark] });
  await pool.query('update alert_groups set session_id = $1 where id = $2', [made.session, group]);
  const silence = await insertRow(pool, 'silences', {
    ...{ matchers: [`of="${mark}"`], comment: mark, created_by: mark, starts_at: moment },
    ...{ ends_at: new Date(moment.getTime() + 3_600_000), teams: team === null ? null : [team] },
  });
  const decision = await insertRow(pool, 'intake_decisions', {
    ...{ source: 's', outcome: 'INVESTIGATED', reason: mark },
    ...{ alert_id: alert, group_id: group, session_id: made.session, silence_id: silence },
  });
  const score = await insertRow(pool, 'scores', {
    ...{ session_id: made.session, status: 'COMPLETED', requested_by: mark, total: 50, analysis: mark },
  });
  const memory = await insertRow(pool, 'memories', {
    ...{ content: mark, category: 'SEMANTIC', alert_type: mark, team, confidence: 0.5 },
    ...{ source_session_id: made.session, document: '' },
  });
  for (const role of ['SOURCE', 'USE'])
    await pool.query('insert into memory_sessions (memory_id, session_id, role) values ($1, $2, $3)', [
      memory,
      made.session,
      role,
    ]);
  const approval = await insertRow(pool, 'approvals', {
    ...{ session_id: made.session, stage_id: made.stage, execution_id: made.execution },
    ...{ timeline_event_id: made.thought, message_sequence: 3, tool_call_id: 'c', server: 's', tool: mark },
    ...{ arguments: '{}', arguments_hash: 'h', schema_hash: 'h', policy: 'p', provenance: '[]' },
    ...{ required_approvals: 1, expires_at: new Date(moment.getTime() + 3_600_000) },
  });
  for (const [name, key] of [
    ['by-team', team],
    ['by-type', mark],
    ['by-source', mark],
  ] as const)
    if (key !== null)
      await pool.query(
        `insert into budget_uses (name, key, period, per, used_usd)
         values ($1, $2, date_trunc('month', now() at time zone 'UTC'), 'month', 5)`,
        [name, key],
      );
  const replayed = await insertRow(pool, 'cases', {
    ...{ name: mark, team, source_session_id: made.session, document: `"${mark}"`, hash: mark },
    ...{ alert_type: mark, world: 'OPEN', max_unrecorded_calls: 5, recorded_calls: 0, created_by: mark },
    expectation: JSON.stringify({ must_say: [mark], must_not_say: [], entities: [], causes: [] }),
  });
  const replaying = await insertSession(pool, { team, status: 'COMPLETED', alert_data: mark, author: mark });
  const replay = await insertRow(pool, 'replays', {
    ...{
      case_id: replayed,
      session_id: replaying,
      provider: mark,
      model: mark,
      config_hash: mark,
      created_by: mark,
    },
  });
  const hint = await insertRow(pool, 'timeline_events', {
    ...{ session_id: made.session, sequence_number: 900, type: 'HINT', status: 'COMPLETED' },
    ...{ content: mark, metadata: JSON.stringify({ author: mark, agent: mark }) },
  });
  const delivery = await insertRow(pool, 'notification_deliveries', {
    ...{ session_id: made.session, channel: mark, kind: 'email', event: 'session.ended', event_key: mark },
    notice: '{}',
  });
  const ids: Record<string, string> = {
    AgentExecution: made.execution,
    Approval: approval,
    Alert: alert,
    AlertGroup: group,
    Case: replayed,
    Chat: made.chat,
    ChatMessage: made.question,
    Hint: hint,
    IntakeDecision: decision,
    LlmInteraction: made.llm,
    McpInteraction: made.mcp,
    Memory: memory,
    Message: made.messages[0]!,
    NotificationDelivery: delivery,
    Replay: replay,
    Score: score,
    Session: made.session,
    Silence: silence,
    Stage: made.stage,
    TimelineEvent: made.thought,
  };
  return Object.fromEntries(Object.entries(ids).map(([type, id]) => [type, globalId(type, id)]));
}

/** Deletes everything of a team. */
export async function deleteTeamObjects(pool: Pool, team: string): Promise<void> {
  await pool.query('delete from alert_sessions where team = $1', [team]);
  await pool.query('delete from alert_groups where team = $1', [team]);
  await pool.query('delete from memories where team = $1', [team]);
  await pool.query('delete from cases where team = $1', [team]);
  await pool.query('delete from silences where $1 = any(teams)', [team]);
  await pool.query('delete from budget_uses where key = any($1)', [[team, markOf(team)]]);
}
