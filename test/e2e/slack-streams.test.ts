import { expect, test, vi } from 'vitest';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { ANA, slackSuite } from '../helpers/slack/suite.ts';
import { BOT_USER } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 }); // on a busy machine, starting an agent's tools takes seconds

const slackTest = slackSuite();
const { suite, start, deliver, posted, sessions } = slackTest;
const settled = () => slackTest.settled();

const stream = () => slackTest.slack.messages.find(({ streaming_state: state }) => state !== undefined);
const cards = () => {
  const plan = stream()?.blocks?.find(({ type }) => type === 'plan');
  const { title, tasks } = (plan ?? { tasks: [] }) as unknown as {
    title?: string;
    tasks: { title: string; status: string }[];
  };
  return { title, tasks: tasks.map((task) => `${task.status}: ${task.title}`) };
};
const until = (read: () => unknown) => expect.poll(read, { timeout: 60_000 });

test('streams an investigation to the user who asked, from a card in progress to a complete one', async () => {
  await start();
  const { slack } = slackTest;
  slack.streamRefusal = null;
  suite.app.llm.script(
    toolCall('tools.echo', { text: 'one' }),
    [{ gate: 'thinking' }, { text: 'The disk is full.' }],
    { text: 'Disk full.' },
  );
  const thread = slack.say('Disk of db-1', { bot_id: 'B0MON' });
  const said = slack.message(ANA, `<@${BOT_USER}> please look`, { thread_ts: thread });
  await deliver('event', slack.event({ ...said, type: 'app_mention' }));
  await until(cards).toEqual({
    title: 'Stage investigation, 1 tool call so far.',
    tasks: ['in_progress: investigation · 1 tool call'],
  });
  expect(stream()).toMatchObject({ thread_ts: thread, streaming_state: 'in_progress' });
  suite.app.llm.open('thinking');
  const [session] = await sessions();
  await suite.ended(session!.id);
  await until(() => stream()?.streaming_state).toBe('completed');
  await settled();
  expect(cards().tasks.filter((card) => !card.startsWith('complete'))).toEqual([]);
  expect(posted().filter((text) => text !== stream()!.text)).toEqual([
    ':hourglass_flowing_sand: Investigation Started: test',
    ':white_check_mark: Analysis Complete: test',
  ]);
  const { rows } = await suite.sql.query(`select point, status from slack_posts order by point`);
  expect(rows.map(({ point, status }) => `${point} ${status}`)).toEqual([
    'PROGRESS POSTED',
    'STARTED POSTED',
    'TERMINAL POSTED',
  ]);
});

test('ends the stream of an investigation that is cancelled', async () => {
  await start();
  slackTest.slack.streamRefusal = null;
  suite.app.llm.script([{ gate: 'never' }, { text: 'The disk is full.' }]);
  await deliver('command', slackTest.slack.command(ANA, 'Disk of db-1 is full'));
  await until(() => stream()?.streaming_state).toBe('in_progress');
  expect(stream()?.thread_ts).toBe(slackTest.slack.messages[0]?.ts);
  const [session] = await sessions();
  await suite.as('ana').query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', {
    id: session!.id,
  });
  await until(() => stream()?.streaming_state).toBe('completed');
  expect(cards()).toEqual({
    title: 'The investigation has ended. The result follows.',
    tasks: [expect.stringMatching(/^error: investigation · (?:cancelled|not finished)$/)],
  });
  suite.app.llm.open('never');
});
