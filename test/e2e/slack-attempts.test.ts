import { expect, test, vi } from 'vitest';
import { decide, type SeenApproval } from '../helpers/approvals.ts';
import { CHANGING_CALL } from '../helpers/approvals-suite.ts';
import { type Aims, type Button, DEE, slackAttempts } from '../helpers/slack/attempts.ts';
import { encoded } from '../helpers/slack/deliveries.ts';
import { ANA, slackSuite } from '../helpers/slack/suite.ts';

vi.setConfig({ testTimeout: 240_000 }); // on a busy machine, each of fifty attempts takes a second

const slackTest = slackSuite();
const { suite, start, sessions, buttonOf } = slackTest;

const address = (name: string) => `${name}@example.com`;

const ACCESS = {
  roles: {
    viewer: { users: ['*'] },
    responder: { users: ['ana', 'bo', 'dee'].flatMap((name) => [name, address(name)]) },
    admin: { users: ['root'] },
  },
  teams: {
    shop: { users: ['ana', 'bo', 'val'].flatMap((name) => [name, address(name)]) },
    pay: { users: ['dee', address('dee')] },
  },
};

const { attempts, click, once } = slackAttempts(slackTest);

test(`${attempts.length} attempts without right are refused, each privately, and change nothing`, async () => {
  const aims = await prepare();
  const before = await stored();
  const told: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  for (const [name, send, { status = 200, told: text, code }] of attempts) {
    const { ephemerals } = slackTest.slack;
    const whispered = ephemerals.length;
    const audited = (await slackTest.refusals()).length;
    const answered = await send(aims);
    await slackTest.settled();
    told[name] = {
      status: answered,
      whispers: ephemerals.slice(whispered).map(({ text: said }) => said),
      audited: (await slackTest.refusals())
        .slice(audited)
        .map(({ detail }) => (detail as { code: string }).code),
    };
    wanted[name] = {
      status,
      whispers: text === undefined ? [] : [typeof text === 'string' ? text : expect.stringMatching(text)],
      audited: code === undefined ? [] : [code],
    };
  }
  expect(told).toEqual(wanted);
  expect(await stored()).toEqual(before);
});

/** Everything that an attempt might change: rows, effects, and the messages that everybody in the channel sees. */
async function stored(): Promise<object> {
  const read = async (query: string) => (await suite.sql.query(query)).rows;
  return {
    sessions: await read(
      'select id, status, rating, assignee, review_status from alert_sessions order by id',
    ),
    alerts: await read('select id from alerts order by id'),
    approvals: await read('select id, status from approvals order by id'),
    decisions: await read('select approval_id, actor, approved from approval_decisions order by id'),
    questions: await read('select id from chat_user_messages order by id'),
    reviews: await read('select id from review_activities order by id'),
    posts: await read(
      'select session_id, point, status, message_ts from slack_posts order by session_id, point',
    ),
    notes: await suite.notes(),
    messages: slackTest.slack.messages.map(({ ts, text, edits }) => ({ ts, text, edits })),
  };
}

/** Makes an ended session, and calls that wait for a second approval, were denied, and expired. */
async function prepare(): Promise<Aims> {
  const { slack } = slackTest;
  slack.users.set(DEE, { email: address('dee') });
  const more = { access: ACCESS, chain: { team: 'shop' }, queue: { max_concurrent_sessions: 2 } };
  await start('http', more, [{ tools: ['note'], action: 'ask', approvals: 2 }]);
  const alert = slack.say('Disk of db-2 is full', { bot_id: 'B0MON' });
  suite.app.llm.otherwise({ text: 'The disk is full.' });

  const handled = encoded('command', slack.command(ANA, 'Disk of db-1 is full'));
  await once(handled);
  await expect.poll(sessions, { timeout: 60_000 }).toHaveLength(1);
  await suite.ended((await sessions())[0]!.id);
  await slackTest.settled();
  const ended = slack.messages.find(({ blocks }) => JSON.stringify(blocks ?? []).includes('tarsy_rate'))!;
  const rate = buttonOf(ended, 'tarsy_rate:ACCURATE');

  const denied = await asked();
  await decide(suite.as('bo'), denied.approval, false);
  await suite.ended(denied.id);
  const expired = await asked();
  await suite.sql.query(`update approvals set expires_at = now() where status = 'PENDING'`);
  await suite.ended(expired.id);
  const open = await asked();
  await click(ANA, open.approve);
  await expect.poll(() => JSON.stringify(slack.messages), { timeout: 30_000 }).toContain('Approved by ana@');
  await expect.poll(outcomesShown, { timeout: 30_000 }).toEqual({ denied: true, expired: true });
  await slackTest.settled(); // the ends of the sessions are posted too
  return {
    ...{ rate, why: { ...rate, action_id: 'tarsy_why' } },
    ...{ approve: open.approve, deny: { ...open.approve, action_id: 'tarsy_deny' } },
    ...{ denied: denied.approve, expired: expired.approve },
    ...{ thread: ended.thread_ts ?? ended.ts, alert, handled },
  };
}

/** Starts an investigation whose call waits for approval. */
async function asked(): Promise<{ id: string; approval: SeenApproval; approve: Button }> {
  suite.app.llm.script(CHANGING_CALL);
  const { id, approval } = await suite.asked();
  const uuid = Buffer.from(approval.id, 'base64').toString().split(':')[1]!;
  const isAbout = (value: string | undefined) => value?.startsWith(uuid);
  const messages = () =>
    slackTest.slack.messages.filter(({ blocks = [] }) =>
      blocks.some(({ elements = [] }) => elements.some(({ value }) => isAbout(value))),
    );
  await expect.poll(messages, { timeout: 30_000 }).toHaveLength(1);
  return { id, approval, approve: buttonOf(messages()[0], 'tarsy_approve') };
}

/** True for each outcome that a message about a call shows. */
function outcomesShown(): Record<string, boolean> {
  const shown = JSON.stringify(slackTest.slack.messages.map(({ blocks }) => blocks));
  return { denied: shown.includes('DENIED'), expired: shown.includes('EXPIRED') };
}
