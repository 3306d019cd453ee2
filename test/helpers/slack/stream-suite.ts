import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openPool } from '../../../src/db/pool.ts';
import { createSlackClient } from '../../../src/engine/features/slack/client.ts';
import { createSlackEditor } from '../../../src/engine/features/slack/edits.ts';
import { createSlackNotifier } from '../../../src/engine/features/slack/notifier.ts';
import { STREAMABLE_SESSIONS } from '../../../src/engine/features/slack/streams.ts';
import { createTransaction } from '../../../src/engine/store/database.ts';
import { insertRow, insertSession } from '../http-api.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { startFakeSlack } from './server.ts';
import type { FakeSlack, PostedMessage } from './types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from './workspace.ts';

export const START = 'chat.startStream';
export const APPEND = 'chat.appendStream';
export const STOP = 'chat.stopStream';
export const UPDATE = 'chat.update';

interface ShownPlan {
  title: string;
  tasks: { title: string; status: string; details?: unknown }[];
}

/** Sessions whose progress is streamed, on a real database, with attempts and rounds that the test runs itself. */
export function streamSuite() {
  let database: TestDatabase;
  let pool: Pool;
  let slack: FakeSlack;
  let log = '';
  const warned: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
  });
  beforeEach(async () => {
    slack = await startFakeSlack();
    slack.streamRefusal = null;
    slack.users.set('U0000ANA', {});
    log = '';
    warned.length = 0;
    await pool.query('delete from slack_posts');
  });
  afterEach(() => slack.close());
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const deps = () => ({
    db: pool,
    openClient: () =>
      createSlackClient({
        token: SLACK_TOKEN,
        channel: SLACK_CHANNEL,
        apiUrl: slack.url,
        callTimeoutMs: 2_000, // passes in tests of silence, but a busy machine answers within it
        signal: new AbortController().signal,
      }),
    dashboardUrl: 'https://tarsy.example',
    isInteractive: true,
    stagesOf: () => ['Triage', 'Fix <!channel>'],
    mask: (text: string) => text,
    logger,
  });

  function newNotifier() {
    return createSlackNotifier({
      ...deps(),
      enqueue: async () => {},
      warnings: { raise: async ({ message }) => void warned.push(message), clear: async () => {} },
    });
  }

  /** A new editor, as that of another process. */
  const newEditor = () =>
    createSlackEditor({ ...deps(), transaction: createTransaction(pool, { publish: async () => {} }) });
  const edit = () => newEditor()();

  /** Inserts a running session that a user in Slack asked for, with its message about the start. */
  async function newSession(recipient: string | null = 'U0000ANA'): Promise<string> {
    const id = await insertSession(pool, { status: 'IN_PROGRESS' });
    const ts = slack.say('Investigation Started', { bot_id: 'B0000BOT', user: 'U0000BOT' });
    await pool.query(
      `insert into slack_posts (session_id, point, status, message_ts, posted_at, recipient) values ($1, 'STARTED', 'POSTED', $2, now(), $3)`,
      [id, ts, recipient],
    );
    return id;
  }

  const request = () =>
    pool.query(`insert into slack_posts (session_id, point, thread_ts) ${STREAMABLE_SESSIONS}`);

  /** Makes the post due and runs the next attempt. */
  async function attempt(id: string, notifier = newNotifier()): Promise<void> {
    await pool.query(`update slack_posts set due_at = now() where session_id = $1 and point = 'PROGRESS'`, [
      id,
    ]);
    await notifier.run(id, 'PROGRESS');
  }

  async function newStream(): Promise<string> {
    const id = await newSession();
    await request();
    await attempt(id);
    return id;
  }

  async function beginStage(
    id: string,
    name: string,
    agents = ['Agent'],
  ): Promise<{ stage: string; agents: string[] }> {
    const { rows } = await pool.query('select count(*)::int as count from stages where session_id = $1', [
      id,
    ]);
    const stage = await insertRow(pool, 'stages', {
      ...{ session_id: id, name, index: rows[0].count + 1, type: 'INVESTIGATION', status: 'ACTIVE' },
      started_at: new Date(Date.now() - 90_000),
    });
    await pool.query('update alert_sessions set current_stage_id = $2 where id = $1', [id, stage]);
    const ids = await Promise.all(
      agents.map((agent, index) =>
        insertRow(pool, 'agent_executions', {
          ...{ session_id: id, stage_id: stage, agent_name: agent, agent_index: index + 1, status: 'ACTIVE' },
          iteration_strategy: 'LANGCHAIN',
        }),
      ),
    );
    return { stage, agents: ids };
  }

  async function callTool(id: string, stage: string, agent: string): Promise<void> {
    const { rows } = await pool.query(
      'select count(*)::int as count from timeline_events where session_id = $1',
      [id],
    );
    await insertRow(pool, 'timeline_events', {
      ...{ session_id: id, stage_id: stage, execution_id: agent, sequence_number: rows[0].count + 1 },
      ...{ type: 'LLM_TOOL_CALL', status: 'COMPLETED' },
    });
  }

  const endStage = (stage: string, status = 'COMPLETED') =>
    pool.query("update stages set status = $2, completed_at = started_at + interval '90 s' where id = $1", [
      stage,
      status,
    ]);
  const endSession = (id: string, status = 'COMPLETED') =>
    pool.query('update alert_sessions set status = $2, current_stage_id = null where id = $1', [id, status]);
  const age = (id: string) =>
    pool.query(
      `update slack_posts set streaming_since = streaming_since - interval '4 minutes' where session_id = $1`,
      [id],
    );

  async function stored(id: string) {
    const { rows } = await pool.query(
      `select status, attempts, error, message_ts, shown, streaming_since is not null as streaming
     from slack_posts where session_id = $1 and point = 'PROGRESS'`,
      [id],
    );
    return rows[0];
  }

  const calls = (method: string) => slack.requests.filter((each) => each.method === method);
  const streamed = () => slack.messages.filter(({ streaming_state: state }) => state !== undefined);

  const plan = (message: PostedMessage | undefined = streamed()[0]): ShownPlan => {
    return message?.blocks?.find(({ type }) => type === 'plan') as unknown as ShownPlan;
  };
  const tasks = () => plan().tasks.map(({ title, status }) => `${status}: ${title}`);

  return {
    get slack() {
      return slack;
    },
    get pool() {
      return pool;
    },
    log: () => log,
    warned,
    ...{ newNotifier, newEditor, edit, newSession, request, attempt, newStream },
    ...{ beginStage, callTool, endStage, endSession, age, stored, calls, streamed, plan, tasks },
  };
}
