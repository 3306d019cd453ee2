import { anyTeamVisibleSql, visibleSql } from '../access/visibility.ts';
import type { IntakeDecisionRow, McpToolValue, TimelineEventRow } from '../db/entities/index.ts';
import type { TimelineFilter } from '../schema/args.ts';
import type { Loaders } from '../schema/context.ts';
import { type Batches, createBatches, type LoaderMakers } from './reads/batches.ts';
import { readCosts } from './reads/costs.ts';
import { readHealth } from './reads/health.ts';
import { chatShown, groupInSight, sessionShown } from './reads/in-sight.ts';
import { MAX_LISTED } from './reads/overview.ts';
import { readFirstPages } from './reads/page.ts';
import { readSimilar } from './reads/similar-sessions.ts';
import type { ReadDb } from './reads/tables.ts';
import { createReportLoaders, createScoreLoaders } from './report-loaders.ts';

type Tables = ReadDb['tables'];

/**
 * Creates the loaders of one operation; each is made on first use.
 * @param options.cache false for a subscription, whose context outlives what it reads
 */
export function createLoaders({ pool, tables, sight }: ReadDb, options: { cache: boolean }): Loaders {
  const batches = createBatches(pool, sight, options);
  return lazily<Loaders>({
    ...byKey(tables, batches),
    ...byOwner(tables, batches),
    ...createReportLoaders(tables, batches),
    ...createScoreLoaders(tables.score, batches),
  });
}

// Bounded, because positions are sent with every change of a waiting session.
const QUEUE_POSITIONS = `
  select id, position::int from (
    select id, row_number() over (order by created_at, id) as position from (
      select id, created_at from alert_sessions where status = 'PENDING' and deleted_at is null
      order by created_at, id limit ${MAX_LISTED}
    ) first
  ) queue where id = any($1)`;

function byKey(tables: Tables, { byId, shownById, one, pick, rows }: Batches) {
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
    stage: () => shownById(tables.stage, sessionShown),
    agentExecution: () => shownById(tables.execution, sessionShown),
    timelineEvent: () => shownById(tables.timelineEvent, sessionShown),
    message: () => shownById(tables.message, sessionShown),
    llmInteraction: () => shownById(tables.llmInteraction, sessionShown),
    llmInteractionBody: () => shownById(tables.llmInteractionBody, sessionShown),
    mcpInteraction: () => shownById(tables.mcpInteraction, sessionShown),
    mcpInteractionBody: () => shownById(tables.mcpInteractionBody, sessionShown),
    chat: () => shownById(tables.chat, sessionShown),
    chatMessage: () => shownById(tables.chatMessage, chatShown),
    alert: () => shownById(tables.alert, groupInSight),
    alertGroup: () => shownById(tables.alertGroup, (place) => visibleSql('t.team', place)),
    intakeDecision: () =>
      shownById(tables.intakeDecision, (place) => `(t.group_id is null or ${groupInSight(place)})`),
    silence: () => shownById(tables.silence, (place) => anyTeamVisibleSql('t.teams', place)),
    memory: () => shownById(tables.memory, (place) => visibleSql('t.team', place)),
    approval: () => shownById(tables.approval, sessionShown),
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
    sessionsWithMemory: () => sessionsWithMemory(tables, batches),
    similarSessions: () => batches.loader((db, ids) => readSimilar(db, ids, batches.sight)),
    healthOfSession: () => batches.loader(readHealth),
    costOfSession: () => batches.loader(readCosts('session_id')),
    costOfStage: () => batches.loader(readCosts('stage_id')),
    costOfExecution: () => batches.loader(readCosts('execution_id')),
    reviewActivityOfSession: () => manyOf(tables.reviewActivity, OF_SESSION, 'order by t.at, t.id'),
    approvalsOfSession: () => manyOf(tables.approval, OF_SESSION, 'order by t.requested_at, t.id'),
    decisionsOfApproval: () => manyOf(tables.approvalDecision, OF_APPROVAL, 'order by t.at, t.id'),
    stagesOfSession: () => manyOf(tables.stage, OF_SESSION, 'order by t.index'),
    timelineOfSession: () => timelines(tables, batches),
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
        list: { table: intakeDecision, column: 'at', moment: ({ at }) => at, newestFirst: true },
        owner: { column: 'group_id', of: ({ groupId }) => groupId },
        ids,
        first,
      }),
    ),
  );
}

/** Sessions of the group itself, and of the storm that it became part of. */
function sessionsOfGroup({ session }: Tables, { many, rows, sight }: Batches): Loaders['sessionsOfGroup'] {
  const sql = `
    select ${session.columns}, g.id as "ofGroup" from alert_groups g cross join lateral (
      select * from alert_sessions s where (s.group_id = g.id or s.id = g.session_id) and s.deleted_at is null
        and ${visibleSql('s.team', '$2')}
      order by s.created_at desc, s.id desc limit 100
    ) t where g.id = any($1) order by t.created_at desc, t.id desc`;
  return many((ids) => rows(sql, ids, sight), 'ofGroup' as never);
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

/** Returns a function that makes one loader per parameter value, on first use. */
function byParameter<P, L>(make: (parameter: P) => L): (parameter: P) => L {
  const made = new Map<string, L>();
  return (parameter) => {
    const key = JSON.stringify(parameter);
    const loader = made.get(key) ?? make(parameter);
    made.set(key, loader);
    return loader;
  };
}

/** Returns an object whose properties are made on first access. */
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
