import { anyTeamVisibleSql, visibleSql } from '../access/visibility.ts';
import type {
  AlertRow,
  HypothesisRow,
  IntakeDecisionRow,
  McpToolValue,
  ScoreRow,
  SilenceRow,
  TimelineEventRow,
} from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { TimelineFilter } from '../schema/args.ts';
import type { Loaders } from '../schema/context.ts';
import type { CostValue } from '../schema/views.ts';
import { type Batches, createBatches, type LoaderMakers } from './reads/batches.ts';
import { readReplayResults, replayShown } from './reads/cases.ts';
import { readHealth } from './reads/health.ts';
import { readHintDeliveries } from './reads/hints.ts';
import { DECISION_ORDER } from './reads/intake.ts';
import { deliveryShown } from './reads/notifications.ts';
import { readFirstPages } from './reads/page.ts';
import { readSimilar } from './reads/similar-sessions.ts';
import { readAgentsNow, readChanges, readParticipants } from './reads/situation.ts';
import type { ReadDb, Table } from './reads/tables.ts';
import { OUTPUTS, readCallsOfApprovals, readCitedEvents } from './reads/tool-calls.ts';
import { readRecordsOf } from './reads/track-record.ts';
import { chatShown, groupShown, sessionShown } from './reads/visible-rows.ts';
import { QUEUE_POSITIONS, readWaits } from './reads/waiting.ts';

type Tables = ReadDb['tables'];

/** Creates the loaders of one operation. `cache` is false for subscriptions, because cached rows become outdated. */
export function createLoaders({ pool, tables, sight }: ReadDb, options: { cache: boolean }): Loaders {
  const batches = createBatches(pool, sight, options);
  return lazily<Loaders>({
    ...byKey(tables, batches),
    ...byOwner(tables, batches),
    ...ofReports(tables, batches),
    ...ofScores(tables.score, batches),
  });
}

function byKey(tables: Tables, { byId, shownById, one, pick, rows, loader }: Batches) {
  return {
    session: () =>
      shownById(tables.session, (place) => `t.deleted_at is null and ${visibleSql('t.team', place)}`),
    alertData: () => pick(byId<Record<string, string>>(tables.alertData), 'alertData'),
    alertPreview: () => pick(byId<Record<string, string>>(tables.alertPreview), 'alertPreview'),
    queuePosition: () =>
      pick(
        one((ids) => rows<Record<string, number>>(QUEUE_POSITIONS, ids), 'id'),
        'position',
      ),
    waitingOfSession: () => loader(readWaits),
    stage: () => shownById(tables.stage, sessionShown),
    agentExecution: () => shownById(tables.execution, sessionShown),
    timelineEvent: () => shownById(tables.timelineEvent, sessionShown),
    hint: () => shownById(tables.timelineEvent, (place) => `t.type = 'HINT' and ${sessionShown(place)}`),
    message: () => shownById(tables.message, sessionShown),
    llmInteraction: () => shownById(tables.llmInteraction, sessionShown),
    llmInteractionBody: () => shownById(tables.llmInteractionBody, sessionShown),
    mcpInteraction: () => shownById(tables.mcpInteraction, sessionShown),
    mcpInteractionBody: () => shownById(tables.mcpInteractionBody, sessionShown),
    chat: () => shownById(tables.chat, sessionShown),
    chatMessage: () => shownById(tables.chatMessage, chatShown),
    alert: () => shownById(tables.alert, groupShown),
    alertGroup: () => shownById(tables.alertGroup, (place) => visibleSql('t.team', place)),
    intakeDecision: () =>
      shownById(tables.intakeDecision, (place) => `(t.group_id is null or ${groupShown(place)})`),
    silence: () => shownById(tables.silence, (place) => anyTeamVisibleSql('t.teams', place)),
    memory: () => shownById(tables.memory, (place) => visibleSql('t.team', place)),
    approval: () => shownById(tables.approval, sessionShown),
    case: () => shownById(tables.case, (place) => visibleSql('t.team', place)),
    caseDocument: () => pick(byId<Record<string, string>>(tables.caseDocument), 'document'),
    replay: () => shownById(tables.replay, replayShown),
    replayResult: () => loader(readReplayResults),
    notificationDelivery: () => shownById(tables.notificationDelivery, deliveryShown),
    apiToken: () => byId(tables.apiToken),
    auditEvent: () => byId(tables.auditEvent),
    mcpServer: () => byId(tables.mcpServer),
    mcpServerTools: () => pick(byId<Record<string, McpToolValue[]>>(tables.mcpServerTools), 'tools'),
  } satisfies Partial<LoaderMakers>;
}

const OF_SESSION = { column: 'session_id', property: 'sessionId' };
const OF_STAGE = { column: 'stage_id', property: 'stageId' };
const OF_EXECUTION = { column: 'execution_id', property: 'executionId' };
const OF_APPROVAL = { column: 'approval_id', property: 'approvalId' };
const OF_CHAT = { column: 'chat_id', property: 'chatId' };
const OF_QUESTION = { column: 'chat_message_id', property: 'chatMessageId' };

const BY_SEQUENCE = 'order by t.sequence_number';
const BY_CREATION = 'order by t.created_at, t.id';

function byOwner(tables: Tables, batches: Batches) {
  const { manyOf, oneOf } = batches;
  return {
    sessionsOfGroup: () => sessionsOfGroup(tables, batches),
    decisionsOfGroup: () => decisionsOfGroup(tables, batches),
    activeSilences: () => activeSilences(tables, batches),
    firingOfGroup: () => batches.many((ids) => batches.rows<FiringOfGroup>(FIRING, ids), 'groupId'),
    startOfGroup: () => startOfGroup(batches),
    episodesOfGroup: () => episodesOfGroup(batches),
    sessionsWithMemory: () => sessionsWithMemory(tables, batches),
    similarSessions: () => batches.loader((db, ids) => readSimilar(db, ids, batches.sight)),
    healthOfSession: () => batches.loader(readHealth),
    participantsOfSession: () => batches.loader(readParticipants),
    agentsNowOfSession: () => batches.loader(readAgentsNow),
    changesOfSession: () => byParameter((since: Date | null) => batches.loader(readChanges(since))),
    costOfSession: () => batches.loader(readCosts('session_id')),
    costOfStage: () => batches.loader(readCosts('stage_id')),
    costOfExecution: () => batches.loader(readCosts('execution_id')),
    reviewActivityOfSession: () => manyOf(tables.reviewActivity, OF_SESSION, 'order by t.at, t.id'),
    approvalsOfSession: () => manyOf(tables.approval, OF_SESSION, 'order by t.requested_at, t.id'),
    decisionsOfApproval: () => manyOf(tables.approvalDecision, OF_APPROVAL, 'order by t.at, t.id'),
    callOfApproval: () => batches.loader(readCallsOfApprovals(tables)),
    replayOfSession: () => oneOf(tables.replay, OF_SESSION),
    stagesOfSession: () => manyOf(tables.stage, OF_SESSION, 'order by t.index'),
    timelineOfSession: () => timelines(tables, batches),
    hintsOfSession: () => manyOf(tables.timelineEvent, OF_SESSION, `and t.type = 'HINT' ${BY_SEQUENCE}`),
    hintDelivery: () => batches.loader(readHintDeliveries),
    sessionLlmInteractions: () =>
      manyOf(tables.llmInteraction, OF_SESSION, `and t.execution_id is null ${BY_CREATION}`),
    chatOfSession: () => oneOf(tables.chat, OF_SESSION),
    executionsOfStage: () => manyOf(tables.execution, OF_STAGE, 'order by t.agent_index'),
    timelineOfExecution: () => manyOf(tables.timelineEvent, OF_EXECUTION, BY_SEQUENCE),
    messagesOfExecution: () => manyOf(tables.message, OF_EXECUTION, BY_SEQUENCE),
    llmOfExecution: () => manyOf(tables.llmInteraction, OF_EXECUTION, BY_CREATION),
    mcpOfExecution: () => manyOf(tables.mcpInteraction, OF_EXECUTION, BY_CREATION),
    messagesOfChat: () => manyOf(tables.chatMessage, OF_CHAT, BY_CREATION),
    stageOfChatMessage: () => oneOf(tables.stage, OF_QUESTION),
  } satisfies Partial<LoaderMakers>;
}

function decisionsOfGroup({ intakeDecision }: Tables, { loader }: Batches): Loaders['decisionsOfGroup'] {
  return byParameter((first: number | null) =>
    loader((db, ids) =>
      readFirstPages<IntakeDecisionRow>(db, {
        list: { ...DECISION_ORDER, table: intakeDecision },
        owner: { column: 'group_id', of: ({ groupId }) => groupId },
        ids,
        first,
      }),
    ),
  );
}

/** Reads the sessions of a group: those of the group itself and the storm session that covers the group. */
function sessionsOfGroup({ session }: Tables, { many, rows, sight }: Batches): Loaders['sessionsOfGroup'] {
  const sql = `
    select ${session.columns}, g.id as "ofGroup" from alert_groups g cross join lateral (
      select * from alert_sessions s where (s.group_id = g.id or s.id = g.session_id) and s.deleted_at is null
        and ${visibleSql('s.team', '$2')}
      order by s.created_at desc, s.id desc limit 100
    ) t where g.id = any($1) order by t.created_at desc, t.id desc`;
  return many((ids) => rows(sql, ids, sight), 'ofGroup' as never);
}

type FiringOfGroup = Pick<AlertRow, 'groupId' | 'labels' | 'severity' | 'title'>;
const FIRING = `select group_id as "groupId", labels, severity, title from alerts
  where group_id = any($1) and state = 'FIRING'`;

function activeSilences({ silence }: Tables, { loader, sight }: Batches): Loaders['activeSilences'] {
  const sql = `select ${silence.columns} from silences t where t.starts_at <= now() and t.ends_at > now()
    and ${anyTeamVisibleSql('t.teams', '$1')} order by t.ends_at desc`;
  return loader(async (db, keys) => {
    const { rows } = await db.query<SilenceRow>(sql, [sight]);
    return keys.map(() => rows);
  });
}

const STARTS = `select g.id, least(g.opened_at, (select min(a.starts_at) from alerts a
    where a.group_id = g.id and a.state = g.state)) as start from alert_groups g where g.id = any($1)`;

function startOfGroup({ loader }: Batches): Loaders['startOfGroup'] {
  return loader(async (db, ids) => {
    const { rows } = await db.query<{ id: string; start: Date }>(STARTS, [ids]);
    const found = new Map(rows.map(({ id, start }) => [id, start]));
    return ids.map((id) => found.get(id) ?? null);
  });
}

const EPISODES = `select g.id, (select count(*)::int from alert_groups f where f.source = g.source and f.group_key = g.group_key
    and f.team is not distinct from g.team and f.opened_at > g.last_received_at - interval '1 day' and f.opened_at <= g.opened_at) as episodes
  from alert_groups g where g.id = any($1)`;

function episodesOfGroup({ loader }: Batches): Loaders['episodesOfGroup'] {
  return loader(async (db, ids) => {
    const { rows } = await db.query<{ id: string; episodes: number }>(EPISODES, [ids]);
    const found = new Map(rows.map(({ id, episodes }) => [id, episodes]));
    return ids.map((id) => found.get(id) ?? 1);
  });
}

function sessionsWithMemory(
  { session }: Tables,
  { many, rows, sight }: Batches,
): Loaders['sessionsWithMemory'] {
  const sql = `
    select ${session.columns}, m.id as "ofMemory" from unnest($1::uuid[]) m(id) cross join lateral (
      select s.* from memory_sessions u join alert_sessions s on s.id = u.session_id
      where u.memory_id = m.id and u.role = 'USE' and s.deleted_at is null and ${visibleSql('s.team', '$2')}
      order by s.created_at desc, s.id desc limit 100
    ) t order by t.created_at desc, t.id desc`;
  return many((ids) => rows(sql, ids, sight), 'ofMemory' as never);
}

function timelines({ timelineEvent }: Tables, { many, rows }: Batches): Loaders['timelineOfSession'] {
  const sql = `
    select ${timelineEvent.columns} from timeline_events t
    where t.session_id = any($1) and t.sequence_number > $2 and ($3::text[] is null or t.type = any($3))
    ${BY_SEQUENCE}`;
  return byParameter(({ afterSequence, types }: TimelineFilter) =>
    many<TimelineEventRow>((ids) => rows(sql, ids, afterSequence, types), OF_SESSION.property),
  );
}

function byParameter<P, L>(make: (parameter: P) => L): (parameter: P) => L {
  const made = new Map<string, L>();
  return (parameter) => {
    const key = JSON.stringify(parameter);
    const loader = made.get(key) ?? make(parameter);
    made.set(key, loader);
    return loader;
  };
}

function lazily<T extends object>(makers: { [K in keyof T]: () => T[K] }): T {
  const made: Partial<T> = {};
  const target = {} as T;
  for (const key of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(target, key, {
      enumerable: true,
      get: () => {
        made[key] ??= makers[key]();
        return made[key];
      },
    });
  }
  return target;
}

/**
 * Loaders of reports. Only `trackRecord` checks visibility, because the keys of the others come from visible sessions.
 */
function ofReports(tables: Tables, { oneOf, one, many, pick, rows, loader, sight }: Batches) {
  return {
    reportOfSession: () => oneOf(tables.report, OF_SESSION),
    claimsOfReport: () => oneOf(tables.reportClaims, OF_SESSION),
    hypothesesOfSession: () => many((ids) => rows<HypothesisRow>(firstHypotheses(tables), ids), 'sessionId'),
    reportOfAnswer: () => oneOf(tables.answerReport, OF_STAGE),
    trackRecord: () => loader((db, keys) => readRecordsOf(db, sight, keys)),
    citedEvent: () => loader(readCitedEvents(tables)),
    wholeOutput: () =>
      pick(
        one((ids) => rows<Record<string, string>>(OUTPUTS, ids), 'id'),
        'output',
      ),
  } satisfies Partial<LoaderMakers>;
}

const MAX_HYPOTHESES = 100;

const firstHypotheses = ({ hypothesis }: Tables) => `
  select ${hypothesis.columns} from unnest($1::uuid[]) o (id) cross join lateral (
    select * from hypotheses h where h.session_id = o.id order by h.id limit ${MAX_HYPOTHESES}) t order by t.id`;

const MAX_SCORES = 100;

function ofScores(score: Table, { one, many, rows, shownById }: Batches) {
  const newest = (limit: number) => `
    select ${score.columns} from unnest($1::uuid[]) k (id) cross join lateral (
      select * from scores s where s.session_id = k.id order by s.id desc limit ${limit}) t order by t.id desc`;
  return {
    score: () => shownById(score, sessionShown),
    latestScore: () => one((ids) => rows<ScoreRow>(newest(1), ids), 'sessionId'),
    scoresOfSession: () => many((ids) => rows<ScoreRow>(newest(MAX_SCORES), ids), 'sessionId'),
  } satisfies Partial<LoaderMakers>;
}

function readCosts(column: 'session_id' | 'stage_id' | 'execution_id') {
  return async (db: Queryable, ids: readonly string[]): Promise<CostValue[]> => {
    const { rows } = await db.query<CostValue & { id: string }>(
      `select ${column} as id, coalesce(sum(cost_usd), 0) as usd, count(*) filter (where cost_usd is null)::int as "unpricedCalls"
       from llm_interactions where ${column} = any($1) group by 1`,
      [ids],
    );
    const found = new Map(rows.map(({ id, ...cost }) => [id, cost]));
    return ids.map((id) => found.get(id) ?? { usd: 0, unpricedCalls: 0 });
  };
}
