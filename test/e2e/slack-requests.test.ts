import { expect, test, vi } from 'vitest';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { ANA, BO, slackSuite } from '../helpers/slack/suite.ts';
import { BOT_USER, SLACK_CHANNEL } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 }); // on a busy machine, starting an agent's tools takes seconds

const slackTest = slackSuite();
const { suite, start, deliver, posted, whispers, sessions } = slackTest;
const settled = () => slackTest.settled();

const STARTED = ':hourglass_flowing_sand: Investigation Started: test';
const COMPLETE = ':white_check_mark: Analysis Complete: test';
const ANSWER = ':speech_balloon: Answer';

/** Waits for the first session. */
const begun = async () => {
  await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(1);
  return sessions();
};

const mention = (user: string, text: string, more: object = {}) =>
  slackTest.slack.event({
    ...slackTest.slack.message(user, `<@${BOT_USER}> ${text}`, more),
    type: 'app_mention',
  });

test('a message of a monitoring system is investigated once, and questions in its thread are answered once', async () => {
  await start();
  const { slack } = slackTest;
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const thread = slack.say('', {
    attachments: [{ title: 'Disk of db-1', text: 'fill level 99 &gt; 90' }],
    bot_id: 'B0MON',
  });
  const asked = mention(ANA, 'please look', { thread_ts: thread });
  const delivered = await Promise.all([
    deliver('event', asked),
    deliver('event', asked),
    deliver('event', asked),
  ]);
  expect(delivered.map(({ statuses }) => statuses)).toEqual([[200], [200], [200]]);
  const [session] = await begun();
  expect(session).toMatchObject({
    author: 'ana@example.com',
    alert_data: 'Disk of db-1\nfill level 99 > 90\n\nAsked: please look',
  });
  await suite.ended(session!.id);
  await settled();
  expect(posted()).toEqual([STARTED, COMPLETE]);

  suite.app.llm.script({ text: 'Logs fill it.' });
  const question = mention(BO, 'What fills it?', { thread_ts: thread });
  await deliver('event', question);
  await deliver('event', question);
  await expect.poll(posted, { timeout: 30_000 }).toContain(ANSWER);
  await settled();
  expect(posted()).toEqual([STARTED, COMPLETE, ANSWER]);
  const answer = slack.messages.at(-1)!;
  expect(answer.thread_ts).toBe(thread);
  expect(answer.blocks?.map(({ text }) => text.text).slice(1, 3)).toEqual([
    'Question: What fills it?',
    'Logs fill it.',
  ]);
  const { rows } = await suite.sql.query('select author, content from chat_user_messages');
  expect(rows).toEqual([{ author: 'bo@example.com', content: 'What fills it?' }]);
  expect(await sessions()).toHaveLength(1);
  suite.app.llm.assertNoUnusedScripts();
});

test('a request that fails after its session is stored starts no second one', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  await suite.sql.query(`create sequence failures;
    create function fail_once() returns trigger language plpgsql as $$
    begin if nextval('failures') = 1 then raise exception 'lost'; end if; return new; end $$;
    create trigger fails before insert on slack_posts for each row when (new.point = 'STARTED') execute function fail_once()`);
  await deliver('command', slackTest.slack.command(ANA, 'Disk of db-1 is full'));
  await settled();
  const { rows } = await suite.sql.query('select attempts from slack_requests');
  expect(rows).toEqual([{ attempts: 2 }]);
  expect(await sessions()).toHaveLength(1);
});

test('a command starts an investigation in the channel, and the result follows in its thread', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const command = slackTest.slack.command(ANA, 'Disk of <http://db-1.example|db-1> is full');
  const answer = await deliver('command', command);
  expect(JSON.parse(answer.body)).toEqual({
    response_type: 'ephemeral',
    text: 'TARSy received this and will answer in this channel.',
  });
  await deliver('command', command);
  const [session] = await begun();
  expect(session!.alert_data).toBe('Disk of http://db-1.example is full');
  await suite.ended(session!.id);
  await settled();
  const [started, ended] = slackTest.slack.messages;
  expect(posted()).toEqual([STARTED, COMPLETE]);
  expect([started?.thread_ts, ended?.thread_ts]).toEqual([undefined, started?.ts]);
  expect(started?.blocks?.[1]?.text.text).toContain('Asked by ana@example.com');

  expect(JSON.parse((await deliver('command', slackTest.slack.command(ANA, ' '))).body).text).toContain(
    '/tarsy Disk',
  );
  const elsewhere = await deliver('command', slackTest.slack.command(ANA, 'x', { channel_id: 'C0OTHER' }));
  expect(JSON.parse(elsewhere.body).text).toBe(`TARSy works in <#${SLACK_CHANNEL}> only.`);
  expect(await sessions()).toHaveLength(1);
});

test('the configured emoji on a message investigates it once, also if several users add it', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const ts = slackTest.slack.say('Disk of db-1 is full');
  const react = (user: string, reaction: string, target = ts) =>
    deliver(
      'event',
      slackTest.slack.event({
        ...{ type: 'reaction_added', user, reaction, item_user: 'U0000OTHER', event_ts: '1.1' },
        item: { type: 'message', channel: SLACK_CHANNEL, ts: target },
      }),
    );
  await react(ANA, 'eyes');
  await Promise.all([react(ANA, 'mag'), react(BO, 'mag')]);
  const [session] = await begun();
  await suite.ended(session!.id);
  await settled();
  expect(await sessions()).toHaveLength(1);
  expect(slackTest.slack.messages.slice(1).map(({ thread_ts: thread }) => thread)).toEqual([ts, ts]);
  expect(whispers()).toEqual([
    [expect.any(String), expect.stringMatching(/^This message has an investigation: http/)],
  ]);

  // TARSy does not investigate what it wrote itself.
  await react(BO, 'mag', slackTest.slack.messages.at(-1)!.ts);
  await settled();
  expect(await sessions()).toHaveLength(1);
  expect(whispers().at(-1)).toEqual([BO, expect.stringMatching(/neither an investigation nor an alert/)]);
});

test('the message about the start follows the investigation, in few edits', async () => {
  await start();
  const { slack } = slackTest;
  suite.app.llm.script(
    toolCall('tools.echo', { text: 'one' }),
    [{ gate: 'thinking' }, { text: 'The disk is full.' }],
    { text: 'Disk full.' },
  );
  await deliver('command', slack.command(ANA, 'Disk of db-1 is full'));
  const lines = () => slack.messages[0]?.blocks?.map(({ text }) => text.text) ?? [];
  await expect.poll(lines, { timeout: 30_000 }).toContain('Stage investigation, 1 tool call so far.');
  suite.app.llm.open('thinking');
  const [session] = await begun();
  await suite.ended(session!.id);
  await expect.poll(lines, { timeout: 30_000 }).toContain('The investigation has ended. The result follows.');
  expect(slack.messages[0]!.edits).toBeLessThanOrEqual(4);
  await settled();
  expect(posted()).toEqual([STARTED, COMPLETE]);
});

test('a question is asked once, even if the reply of the first attempt fails', async () => {
  await start();
  const { slack } = slackTest;
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  await suite.ended(await suite.as('ana').submit('Disk trouble'));
  await settled();
  slack.fail('chat.postEphemeral', { how: 'drop' }, { status: 500 });
  suite.app.llm.script({ text: 'Logs fill it.' });
  await deliver('event', mention(ANA, 'What fills it?', { thread_ts: slack.messages[0]!.ts }));
  await expect.poll(posted, { timeout: 60_000 }).toEqual([COMPLETE, ANSWER]);
  await settled();
  const { rows } = await suite.sql.query('select attempts, status from slack_requests');
  expect(rows).toEqual([{ attempts: 3, status: 'DONE' }]);
  expect((await suite.sql.query('select id from chat_user_messages')).rows).toHaveLength(1);
  expect(posted()).toEqual([COMPLETE, ANSWER]);
});

test('a request whose process died after it began is handled by the next one', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const content = { type: 'command', user: ANA, channel: SLACK_CHANNEL, text: 'Disk of db-1 is full' };
  await suite.sql.query(
    `insert into slack_requests (id, key, content, attempts, due_at)
     values (gen_random_uuid(), 'command:1', $1, 1, now() - interval '1 minute')`,
    [JSON.stringify(content)],
  );
  const [session] = await begun();
  expect(session!.alert_data).toBe('Disk of db-1 is full');
  await suite.ended(session!.id);
  await settled();
  expect(posted()).toEqual([STARTED, COMPLETE]);
});
