import { expect, test, vi } from 'vitest';
import { encoded } from '../helpers/slack/deliveries.ts';
import { ANA, BO, STRANGERS, slackSuite, VAL } from '../helpers/slack/suite.ts';
import { BOT_USER } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 }); // on a busy machine, a start takes seconds

const slackTest = slackSuite();
const { suite, start, deliver, posted, whispers, sessions, refusals, buttonOf } = slackTest;
const settled = () => slackTest.settled();

const mention = (user: string, text: string, more: object = {}, envelope: object = {}) => {
  const message = slackTest.slack.message(user, `<@${BOT_USER}> ${text}`, more);
  return slackTest.slack.event({ ...message, type: 'app_mention' }, envelope);
};

/** Asserts that nothing was stored, investigated or posted. */
async function expectNothing(): Promise<void> {
  const { rows } = await suite.sql.query('select key from slack_requests');
  expect(rows).toEqual([]);
  expect(await sessions()).toEqual([]);
  expect(slackTest.slack.messages).toEqual([]);
}

test('requests that are not from Slack are refused, and nothing of them is stored', async () => {
  await start();
  const { slack } = slackTest;
  const signed = encoded('event', mention(ANA, 'Disk full'));
  const now = Math.floor(Date.now() / 1000);
  const send = async (more: object, headers = {}) =>
    (await slack.sendOnce(suite.app.url, { ...signed, ...more }, headers)).status;
  expect(await send({ secret: 'another secret' })).toBe(401);
  expect(await send({ signature: '' })).toBe(401);
  expect(await send({ signature: 'v0=' })).toBe(401);
  expect(await send({ signature: `v0=${'0'.repeat(64)}` })).toBe(401);
  expect(await send({ signature: `v1=${'0'.repeat(64)}` })).toBe(401);
  expect(await send({ at: now - 301 })).toBe(401);
  expect(await send({ at: now + 330 })).toBe(401);
  // A valid signature of another time or another body does not help.
  expect(await send({ at: now - 400 }, { 'x-slack-request-timestamp': String(now) })).toBe(401);
  expect(await send({}, { 'x-slack-request-timestamp': 'now' })).toBe(401);
  const elsewhere = await fetch(`${suite.app.url}/slack/events`, { method: 'POST', body: signed.body });
  expect(elsewhere.status).toBe(401);
  expect((await fetch(`${suite.app.url}/slack/events`)).status).toBe(405);
  await expectNothing();
});

test('malformed, huge and foreign payloads are refused or ignored', async () => {
  await start();
  const { slack } = slackTest;
  const send = async (
    body: string,
    type: 'application/json' | 'application/x-www-form-urlencoded' = 'application/json',
  ) => (await slack.sendOnce(suite.app.url, { body, type })).status;
  for (const body of ['{', '', 'null', '[]', '{}', '"x"', '{"type":"event_callback"}', '\u0000'])
    expect([body, await send(body)]).toEqual([body, 400]);
  for (const body of ['payload={', 'payload=', 'payload={"type":"block_actions"}', 'text=x'])
    expect([body, await send(body, 'application/x-www-form-urlencoded')]).toEqual([body, 400]);
  expect(await send(JSON.stringify({ type: 'x', more: 'x'.repeat(1024 * 1024) }))).toBe(413);
  const evil = mention(ANA, 'x', { user: "U1'; drop table alerts; --" });
  expect((await deliver('event', evil)).statuses).toEqual([200]); // no user of Slack, so no event that TARSy handles
  const foreign = mention(ANA, 'Disk full', {}, { team_id: 'T0OTHER' });
  expect((await deliver('event', foreign)).statuses).toEqual(Array(4).fill(403));
  const click = slack.click(ANA, { action_id: 'tarsy_why', value: 'x' }, { team: { id: 'T0OTHER' } });
  expect((await deliver('interactive', click)).statuses).toEqual([403]);
  expect((await deliver('command', slack.command(ANA, 'x', { team_id: 'T0OTHER' }))).statuses).toEqual([403]);
  await expectNothing();
  expect((await deliver('event', { type: 'url_verification', token: 't', challenge: 'abc' })).body).toBe(
    'abc',
  );
});

test('messages of bots and of TARSy itself start nothing', async () => {
  await start();
  const { slack } = slackTest;
  for (const more of [
    { user: BOT_USER },
    { bot_id: 'B0000BOT' },
    { bot_id: 'B0MON' },
    { subtype: 'bot_message' },
  ])
    expect((await deliver('event', mention(ANA, 'Disk full', more))).statuses).toEqual([200]);
  await deliver('event', slack.event(slack.message(ANA, 'Disk full')));
  await deliver('event', mention(ANA, 'Disk full', { channel: 'C0OTHER' }));
  await expectNothing();
});

test('a replayed request has no second effect', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const request = encoded('event', mention(ANA, 'Disk full'));
  for (let n = 0; n < 3; n += 1)
    expect((await slackTest.slack.sendOnce(suite.app.url, request)).status).toBe(200);
  await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(1);
  await suite.ended((await sessions())[0]!.id);
  await settled();
  expect(await sessions()).toHaveLength(1);
});

test('users whom TARSy does not know, and viewers, are told privately; each attempt is audited', async () => {
  await start();
  for (const user of [...Object.keys(STRANGERS), VAL]) await deliver('event', mention(user, 'Disk full'));
  await settled();
  const unknown =
    'This needs the role RESPONDER; TARSy knows no role for the e-mail address of your Slack account.';
  const told = Object.fromEntries(whispers());
  expect(told).toEqual({
    ...Object.fromEntries(Object.keys(STRANGERS).map((user) => [user, unknown])),
    [VAL]: 'This needs the role RESPONDER; yours is VIEWER.',
  });
  expect(await sessions()).toEqual([]);
  expect(posted()).toEqual([]);
  const actors = (await refusals()).map(({ actor }) => actor);
  expect(actors.sort()).toEqual(
    [...Object.keys(STRANGERS).map((user) => `slack:${user}`), 'val@example.com'].sort(),
  );
});

test('a session of another team is answered like one that does not exist', async () => {
  const roles = {
    viewer: { users: ['*'] },
    responder: { users: ['ana', 'ana@example.com', 'bo@example.com'] },
    admin: { users: ['root'] },
  };
  await start('http', {
    access: {
      roles,
      teams: { shop: { users: ['ana', 'ana@example.com'] }, pay: { users: ['bo@example.com'] } },
    },
    chain: { team: 'shop' },
  });
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  await suite.ended(await suite.as('ana').submit('Disk trouble'));
  await settled();
  const message = slackTest.slack.messages[0]!;
  const rate = buttonOf(message, 'tarsy_rate:ACCURATE');
  const nowhere = { ...rate, value: rate.value.replace(/^./, 'f') };
  await deliver('interactive', slackTest.slack.click(BO, rate));
  await deliver('interactive', slackTest.slack.click(BO, nowhere));
  await deliver('interactive', slackTest.slack.click(BO, { action_id: 'tarsy_why', value: rate.value }));
  await deliver('event', mention(BO, 'What fills it?', { thread_ts: message.ts }));
  await settled();
  expect(
    whispers()
      .map(([, text]) => text)
      .sort(),
  ).toEqual([
    'There is neither an investigation nor an alert in this message that you may use.',
    ...Array(3).fill('There is no session with this id.'),
  ]);
  const { rows } = await suite.sql.query('select rating from alert_sessions');
  expect(rows).toEqual([{ rating: null }]);
  expect((await refusals()).map(({ actor }) => actor)).toEqual(Array(4).fill('bo@example.com'));
});

test('no text of a user becomes a mention or a link, and no secret is stored', async () => {
  await start();
  suite.app.llm.script({ text: 'Done.' }, { text: 'Done.' });
  const text = '<!channel> <https://evil.example|x> password: hunter2-Syn7hetic *bold*';
  await deliver('command', slackTest.slack.command(ANA, text));
  await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(1);
  await suite.ended((await sessions())[0]!.id);
  await settled();
  const sent = JSON.stringify([slackTest.slack.messages, slackTest.slack.ephemerals]);
  expect(sent).not.toContain('<!channel>');
  expect(sent).not.toContain('<https://evil');
  expect(sent).not.toContain('hunter2');
  const { rows } = await suite.sql.query('select content, status from slack_requests');
  expect(rows).toEqual([{ content: null, status: 'DONE' }]);
  expect(JSON.stringify(await sessions())).not.toContain('hunter2');
});
