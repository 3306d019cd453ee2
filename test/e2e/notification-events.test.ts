import { afterEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { intakeConfig } from '../helpers/deliveries.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let hook: Receiver;
let app: TestApp;
afterEach(async () => {
  await app.stop();
  await hook.close();
});

async function start(events: string[], more: Parameters<typeof startTestApp>[0]): Promise<void> {
  hook = await startReceiver();
  app = await startTestApp({
    env: { HOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}` },
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
      },
      rules: [{ events, channels: ['hook'] }],
    },
    ...more,
  });
}

const events = () =>
  hook.received.map(({ body }) => JSON.parse(body) as { type: string; data: { why: string } });

test('a budget is notified once per measure and month, whatever sessions reach it', async () => {
  await start(['budget.reached', 'session.ended'], {
    budgets: { monthly: { limit_tokens: 1000, degrade: ['conclude'] } },
  });
  const turn = [toolCall('tools.echo', { text: 'x' }), { usage: { input: 850, output: 0 } }];
  app.llm.script(
    turn,
    { text: 'Full.' },
    { text: 'In short.' },
    turn,
    { text: 'Full.' },
    { text: 'In short.' },
  );
  const api = apiClient(app.url);
  for (const alert of ['Disk trouble', 'More trouble']) {
    const id = await api.submit(alert);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  }
  await hook.nth(4);
  const ofBudget = events().filter(({ type }) => type === 'tarsy.budget.reached');
  // Notifications that are due at the same time are sent in any order.
  expect(ofBudget.map(({ data }) => data.why).toSorted()).toEqual([
    expect.stringMatching(/^The budget monthly has used 1,730 of 1,000 tokens .*The agent now concludes/),
    'The budget monthly has used 850 of 1,000 tokens (85 %) this month.',
  ]);
  expect(events()).toHaveLength(4);
  const { notificationDeliveries } = await api.query<{
    notificationDeliveries: { nodes: { event: string; session: object | null }[] };
  }>('{ notificationDeliveries(first: 10) { nodes { event session { id } } } }');
  for (const { event, session } of notificationDeliveries.nodes)
    expect(session === null, event).toBe(event === 'budget.reached'); // it concerns no single session
});

test('a budget that lets sessions wait is notified once, although no agent reached it', async () => {
  await start(['budget.reached'], {
    budgets: { all: { per: 'month', limit_tokens: 1000, degrade: ['queue'] } },
  });
  app.llm.script([{ text: 'Full.' }, { usage: { input: 1200, output: 0 } }], { text: 'In short.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await Promise.all(['Second', 'Third'].map((alert) => api.submit(alert)));
  const parked = () => api.query<object>('{ systemState { waiting { reason sessions } } }');
  await expect
    .poll(parked, { timeout: 20_000 })
    .toEqual({ systemState: { waiting: [{ reason: 'BUDGET', sessions: 2 }] } });
  await hook.nth(1);
  expect(events()).toMatchObject([
    { data: { why: expect.stringMatching(/^The budget all has used .* resets at/) } },
  ]);
});

test('a failing canary and a missing heartbeat are notified, and the canary’s own session is not', async () => {
  await start(['canary.failing', 'source.silent', 'session.ended'], {
    intake: intakeConfig({
      canary: { every: '1s', within: '1m' },
      rules: [{ name: 'watchdog', match: ['alertname="Watchdog"'], canary: true, canary_within: '1s' }],
    }),
  });
  app.llm.otherwise({ text: 'It answers.' }); // without a tool call, so that the canary fails
  await hook.nth(2);
  expect(new Map(events().map(({ type, data }) => [type, data.why]))).toEqual(
    new Map([
      ['tarsy.source.silent', expect.stringContaining('No canary of the rule "watchdog" received')],
      ['tarsy.canary.failing', 'No tool answered its investigation.'],
    ]),
  );
});
