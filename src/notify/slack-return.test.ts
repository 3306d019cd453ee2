import { afterEach, expect, test, vi } from 'vitest';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { startFakeSlack } from '../../test/helpers/slack/server.ts';
import type { FakeSlack } from '../../test/helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../../test/helpers/slack/workspace.ts';
import { slackChannel } from './channels/slack.ts';

vi.setConfig({ testTimeout: 120_000 });

const { startChannels, queue, attemptedTimes, ended } = deliverSuite();

let slack: FakeSlack;
afterEach(() => slack.close());

test('notifications that wait for Slack follow the first one that it accepts', async () => {
  slack = await startFakeSlack();
  slack.fail('chat.postMessage', { how: 'drop' });
  startChannels(
    new Map([['chat', slackChannel({ token: SLACK_TOKEN, channel: SLACK_CHANNEL, apiUrl: slack.url })]]),
  );
  const [waiting] = (await queue('chat')) as [string];
  expect(await attemptedTimes(waiting, 1)).toMatchObject({
    ...{ status: 'PENDING', last_error: 'UNREACHABLE: Slack could not be reached.' },
  });
  const [next] = (await queue('chat')) as [string];
  for (const id of [next, waiting]) expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
});
