import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { expect } from 'vitest';
import { type ScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';
import type { PostedMessage } from '../helpers/slack/types.ts';
import { BOT_USER } from '../helpers/slack/workspace.ts';
import { conversation } from './expectations.ts';
import type { SlackLane } from './slack-lane.ts';
import type { Disturbance, Story } from './sweep.ts';

const POLL_MS = 100;
const QUESTION = 'Which directory fills the disk?';

/** Scripts a model that answers from the conversation alone, so that a repeated call gets an equal answer. */
export function scriptSlack(llm: ScriptedLlm): void {
  llm.otherwise((request) => {
    const { user, answers } = conversation(request);
    if (request.tools.length === 0) return { text: 'In short.' };
    if (user.includes(QUESTION)) return { text: 'It is /var.' };
    const place = /Place \d+ \([\w-]+\)/.exec(user)![0];
    return answers === 0 ? toolCall('tools.note', { text: place }, 'note-1') : { text: 'The disk is full.' };
  });
}

/** Kills the process at a write. The write is stored at odd places, and lost at even ones. */
export const killed: Disturbance<SlackLane> = {
  workers: 1,
  async strike({ kill, sql }, _name, gate) {
    await kill();
    if (gate.place % 2 === 0) await gate.lose();
    await gate.open();
    await expireClaims(sql);
  },
};

/** Cuts all connections of the process to the database at a write, which is lost. The process keeps running. */
export const cut: Disturbance<SlackLane> = {
  workers: 1,
  async strike({ sql }, _name, gate) {
    await sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'tarsy%'`,
    );
    await gate.open();
    await expireClaims(sql);
  },
};

/** Makes claims expire at once, and lost jobs overdue. */
async function expireClaims(sql: Pool): Promise<void> {
  for (const table of ['slack_requests', 'slack_posts'])
    await sql.query(`update ${table} set due_at = now() - interval '5 minutes' where status = 'WAITING'`);
}

/**
 * The story of an alert in Slack: investigated on request, with a call approved by a button, rated by a button, and
 * asked about in the thread. Slack sends each request again, also after it was acknowledged.
 */
export const slackStory: Story<SlackLane> = {
  prepare: async (lane, name) => async () => {
    const thread = lane.slack.say(name, { bot_id: 'B0MON' });
    const ended = tell(lane, thread);
    ended.catch(() => {}); // reported by the sweep
    return {
      watched: Promise.resolve(),
      ended,
      read: () => stored(lane, thread),
      check: () => expectOnce(lane, thread, name),
    };
  },
};

async function tell(lane: SlackLane, thread: string): Promise<void> {
  await mention(lane, 'ANA', { thread, text: 'please look' });
  const approve = await buttonIn(lane, thread, 'tarsy_approve');
  await until(async () => streamsIn(lane, thread).length > 0);
  await click(lane, 'BO', approve);
  const rate = await buttonIn(lane, thread, 'tarsy_rate:ACCURATE');
  await Promise.all([click(lane, 'BO', rate), mention(lane, 'CY', { thread, text: QUESTION })]);
  await until(async () => {
    const { posts, requests } = await stored(lane, thread);
    const isTold = (point: string, shown: RegExp | null) =>
      posts.some(
        (post) =>
          post.point.startsWith(point) &&
          post.status !== 'WAITING' &&
          (shown === null || shown.test(post.shown ?? '') || post.status === 'SKIPPED'),
      );
    return (
      requests.every(({ status }) => status === 'DONE') &&
      isTold('STARTED', /^END/) &&
      isTold('PROGRESS', /^END/) &&
      isTold('APPROVAL', /^(?!PENDING|APPROVED|$)/) &&
      isTold('TERMINAL', null) &&
      isTold('ANSWER', null)
    );
  });
}

async function mention(
  lane: SlackLane,
  who: string,
  { thread, text }: { thread: string; text: string },
): Promise<void> {
  const { slack } = lane;
  const said = slack.message(`U0000${who}`, `<@${BOT_USER}> ${text}`, { thread_ts: thread });
  const event = slack.event({ ...said, type: 'app_mention' });
  await until(() => isTaken(lane, 'event', event));
  await slack.deliver(lane.url, 'event', event);
}

/** Clicks until a click is acknowledged, as a user does. */
async function click(
  lane: SlackLane,
  who: string,
  action: { action_id: string; value: string },
): Promise<void> {
  const { slack } = lane;
  const next = () => slack.click(`U0000${who}`, action);
  let payload = next();
  await until(async () => {
    if (await isTaken(lane, 'interactive', payload)) return true;
    payload = next();
    return false;
  });
  await slack.deliver(lane.url, 'interactive', payload);
}

async function isTaken(lane: SlackLane, kind: 'event' | 'interactive', payload: object): Promise<boolean> {
  return (await lane.slack.deliver(lane.url, kind, payload)).statuses.at(-1) === 200;
}

async function buttonIn(lane: SlackLane, thread: string, action: string) {
  let value: string | undefined;
  await until(async () => {
    const elements = inThread(lane, thread).flatMap(({ blocks = [] }) =>
      blocks.flatMap((b) => b.elements ?? []),
    );
    value = elements.find(({ action_id: id }) => id === action)?.value;
    return value !== undefined;
  });
  return { action_id: action, value: value! };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await delay(POLL_MS);
}

/** Returns TARSy's messages since the thread began. A call may be asked about in the channel if the start was lost. */
function inThread({ slack }: SlackLane, thread: string): PostedMessage[] {
  return slack.messages.filter(({ ts, bot_id: bot }) => Number(ts) > Number(thread) && bot === 'B0000BOT');
}

function streamsIn(lane: SlackLane, thread: string): PostedMessage[] {
  return inThread(lane, thread).filter(({ streaming_state: state }) => state !== undefined);
}

async function stored({ sql }: SlackLane, thread: string) {
  const { rows: sessions } = await sql.query<{ id: string; status: string; rating: string | null }>(
    `select id, status, rating from alert_sessions where id in (select session_id from slack_posts where thread_ts = $1)`,
    [thread],
  );
  const ids = sessions.map(({ id }) => id);
  const read = async <T extends object>(query: string) => (await sql.query<T>(query, [ids])).rows;
  return {
    sessions,
    posts: await read<{ point: string; status: string; shown: string | null; attempts: number }>(
      'select point, status, shown, attempts from slack_posts where session_id = any($1) order by created_at, point',
    ),
    approvals: await read<{ status: string }>('select status from approvals where session_id = any($1)'),
    decisions: await read<{ actor: string }>(
      'select d.actor from approval_decisions d join approvals a on a.id = d.approval_id where a.session_id = any($1)',
    ),
    reviews: await read<{ action: string }>(
      'select action from review_activities where session_id = any($1)',
    ),
    questions: await read<{ content: string }>(
      `select m.content from chat_user_messages m join stages s on s.chat_message_id = m.id where s.session_id = any($1)`,
    ),
    requests: (
      await sql.query<{ status: string; attempts: number }>('select status, attempts from slack_requests')
    ).rows,
  };
}

/** Asserts that each message and each effect exists once. */
async function expectOnce(lane: SlackLane, thread: string, name: string): Promise<void> {
  const { sessions, posts, approvals, decisions, reviews, questions } = await stored(lane, thread);
  expect(sessions).toEqual([{ id: sessions[0]?.id, status: 'COMPLETED', rating: 'ACCURATE' }]);
  const all = await lane.sql.query(`select 1 from alert_sessions where alert_data like $1`, [`%${name}%`]);
  expect(all.rowCount).toBe(1);
  expect(questions).toEqual([{ content: QUESTION }]);
  expect(decisions).toEqual([{ actor: 'bo@example.com' }]);
  expect(reviews.filter(({ action }) => action === 'COMPLETE')).toHaveLength(1);
  expect(approvals).toEqual([{ status: expect.stringMatching(/^(?:EXECUTED|OUTCOME_UNKNOWN)$/) }]);
  // A crash may hide the outcome of an approved call, which is then not made again.
  const made = lane.notes.filter((said) => said === name).length;
  expect(made).toBeLessThanOrEqual(1);
  if (approvals[0]!.status === 'EXECUTED') expect(made).toBe(1);

  const about = lane.slack.messages.filter(({ metadata }) =>
    JSON.stringify(metadata ?? {}).includes(sessions[0]!.id),
  );
  expect(about).toEqual(inThread(lane, thread));
  const points = about.map(
    ({ metadata }) => (metadata as { event_payload: { point: string } }).event_payload.point.split(':')[0],
  );
  // Messages about the start and the progress are pointless once the session has ended.
  const skipped = posts.filter(({ status }) => status === 'SKIPPED').map(({ point }) => point);
  expect(['STARTED', 'PROGRESS']).toEqual(expect.arrayContaining(skipped));
  const expected = ['ANSWER', 'APPROVAL', 'PROGRESS', 'STARTED', 'TERMINAL'];
  expect(points.toSorted()).toEqual(expected.filter((point) => !skipped.includes(point)));
  const texts = about.map(({ blocks }) => JSON.stringify(blocks));
  const textOf = (point: string) => texts[points.indexOf(point)]!;
  expect(textOf('APPROVAL')).toContain('Approved by bo@example.com');
  expect(textOf('APPROVAL')).toContain(approvals[0]!.status);
  if (!skipped.includes('STARTED')) expect(textOf('STARTED')).toContain('The investigation has ended.');
  if (!skipped.includes('PROGRESS')) {
    const [stream] = streamsIn(lane, thread);
    expect(stream?.streaming_state).toBe('completed');
    expect(textOf('PROGRESS')).toContain('The investigation has ended.');
    expect(textOf('PROGRESS')).not.toMatch(/"status":"(?!complete)/);
  }
  expect(textOf('ANSWER')).toContain('It is /var.');
}
