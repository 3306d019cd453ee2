import { expect, test, vi } from 'vitest';
import { ANA, slackSuite } from '../helpers/slack/suite.ts';
import { BOT_USER } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 }); // on a busy machine, a start takes seconds

const slackTest = slackSuite();
const { suite, start, sessions, whispers } = slackTest;

const mention = (text: string) => {
  const { slack } = slackTest;
  return slack.event({ ...slack.message(ANA, `<@${BOT_USER}> ${text}`), type: 'app_mention' });
};

test('requests arrive over a WebSocket, also after Slack replaced it, and repeated ones count once', async () => {
  await start('socket');
  const { slack } = slackTest;
  suite.app.llm.otherwise({ text: 'The disk is full.' });
  await slack.link.connected();
  const first = { type: 'events_api', payload: mention('Disk of db-1 is full') } as const;
  expect(await slack.link.send(first)).toEqual({});
  expect(await slack.link.send(first, 1)).toEqual({});
  await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(1);
  const command = { type: 'slash_commands', payload: slack.command(ANA, 'Disk of db-2 is full') } as const;
  expect(await slack.link.send(command)).toMatchObject({
    response_type: 'ephemeral',
    text: expect.any(String),
  });

  await slack.link.refresh();
  await slack.link.connected();
  const click = slack.click(ANA, { action_id: 'tarsy_why', value: 'x' });
  expect(await slack.link.send({ type: 'interactive', payload: click })).toEqual({});
  await expect
    .poll(() => whispers().at(-1), { timeout: 30_000 })
    .toEqual([ANA, 'There is no session with this id.']);
  await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(2);
  for (const { id } of await sessions()) await suite.ended(id);
  await slackTest.settled();
  expect(await sessions()).toHaveLength(2);
});

test('a refused app-level token is a warning until a connection succeeds', async () => {
  const { slack } = slackTest;
  slack.fail('apps.connections.open', ...Array(3).fill({ body: { ok: false, error: 'invalid_auth' } }));
  await start('socket');
  const warnings = async () =>
    (await suite.sql.query(`select message from system_warnings where key = 'socket'`)).rows;
  await expect
    .poll(warnings, { timeout: 30_000 })
    .toEqual([{ message: expect.stringContaining('no connection to Slack: invalid_auth.') }]);
  await slack.link.connected();
  await expect.poll(warnings, { timeout: 30_000 }).toEqual([]);
  // A malformed envelope is acknowledged, because Slack would repeat it.
  expect(await slack.link.send({ type: 'slash_commands', payload: { text: 'x' } })).toEqual({});
  expect(await sessions()).toEqual([]);
});
