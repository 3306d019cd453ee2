import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test, vi } from 'vitest';
import { decide } from '../helpers/approvals.ts';
import { approvalsSuite, CHANGING_CALL } from '../helpers/approvals-suite.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 240_000 });

const SECRETS = {
  OLD_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  NEW_SECRET: `whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};
const suite = approvalsSuite();
const { start, as, asked, ended, notes } = suite;

let hook: Receiver;
let mail: MailServer;
afterEach(async () => {
  await hook?.close();
  await mail?.close();
});

async function startNotified(events: string[]): Promise<void> {
  hook = await startReceiver();
  mail = await startMailServer();
  await start([], {
    env: { ...SECRETS, MAIL_PASSWORD: 'mail-secret' },
    notifications: {
      channels: {
        hook: {
          ...{
            kind: 'webhook',
            url: hook.url,
            secrets_env: ['NEW_SECRET', 'OLD_SECRET'],
            allow_private: true,
          },
        },
        mail: {
          ...{ kind: 'email', host: '127.0.0.1', port: mail.port, allow_private: true },
          ...{ username: 'tarsy', password_env: 'MAIL_PASSWORD' },
          ...{ from: 'tarsy@example.com', to: ['ops@example.com', 'lead@example.com'] },
        },
      },
      rules: [{ events, channels: ['hook', 'mail'] }],
    },
  });
}

/** The UUID in a global id. */
const uuidOf = (id: string) => Buffer.from(id, 'base64').toString().replace(/^\w+:/, '');

/** The CloudEvent of the nth request, after both secrets have verified its signature. */
async function nthEvent(count: number) {
  const { headers, body } = await hook.nth(count);
  for (const secret of Object.values(SECRETS))
    new Webhook(secret).verify(body, headers as Record<string, string>);
  return JSON.parse(body);
}

test('a call that waits reaches people with its arguments and the link, and so does the decision', async () => {
  await startNotified(['approval.requested', 'approval.decided']);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  suite.app.llm.script(
    [{ text: 'I must note <b>it</b>.' }, toolCall('tools.note', { text: `clean up, token ${secret}` })],
    { text: 'Noted.' },
    { text: 'Noted, in short.' },
  );
  const { id, approval } = await asked();
  const session = uuidOf(id);
  const requested = await nthEvent(1);
  expect(requested).toMatchObject({
    ...{ specversion: '1.0', type: 'tarsy.approval.requested', subject: `approvals/${uuidOf(approval.id)}` },
    data: {
      title: 'Approval needed: tools.note',
      session: { id: session, alertType: 'test' },
      why: 'I must note <b>it</b>.',
      call: {
        approvalId: uuidOf(approval.id),
        server: 'tools',
        tool: 'note',
        status: 'PENDING',
        requiredApprovals: 1,
      },
      link: expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/sessions/${session}$`)),
    },
  });
  expect(JSON.parse(requested.data.call.arguments)).toEqual({ text: expect.stringContaining('clean up') });
  const asMail = await mail.nth(1);
  expect(asMail).toMatchObject({
    ...{ from: 'tarsy@example.com', to: ['ops@example.com', 'lead@example.com'] },
    ...{ isEncrypted: true, user: 'tarsy' },
    headers: {
      subject: '[TARSy] Approval needed: tools.note',
      references: `<session.${session}@example.com>`,
    },
  });
  expect(asMail.parts['text/plain']).toContain(requested.data.link);
  expect(asMail.parts['text/plain']).toContain('clean up');
  expect(asMail.parts['text/html']).toContain('I must note &lt;b&gt;it&lt;/b&gt;.');
  for (const text of [...hook.received.map(({ body }) => body), ...Object.values(asMail.parts)])
    expect(text).not.toContain(secret);
  expect(await notes()).toEqual([]); // reading the notice decides nothing

  expect(await decide(as('bo'), approval, false, 'not today')).toBe('DENIED');
  const decided = await nthEvent(2);
  expect(decided).toMatchObject({
    type: 'tarsy.approval.decided',
    data: {
      title: 'Denied: tools.note',
      call: { status: 'DENIED', decisions: [{ actor: 'bo', approved: false, comment: 'not today' }] },
    },
  });
  const secondMail = await mail.nth(2);
  expect(secondMail.headers.references).toBe(asMail.headers.references);
  expect(secondMail.headers['message-id']).not.toBe(asMail.headers['message-id']);
  expect(secondMail.parts['text/plain']).toContain('Denied by: bo: not today');
  await ended(id);
  const deliveries =
    'select channel, event, status, attempts from notification_deliveries order by channel, created_at';
  await expect
    .poll(async () => (await suite.sql.query(deliveries)).rows, { timeout: 30_000 })
    .toEqual(
      ['hook', 'mail'].flatMap((channel) =>
        ['approval.requested', 'approval.decided'].map((event) => ({
          ...{ channel, event, status: 'DELIVERED', attempts: 1 },
        })),
      ),
    );
});

test('the start and the end of an investigation are notified, once each', async () => {
  await startNotified(['session.started', 'session.ended']);
  suite.app.llm.script([CHANGING_CALL], { text: 'All is well.' }, { text: 'Well.' });
  const { id, approval } = await asked();
  expect(await nthEvent(1)).toMatchObject({
    type: 'tarsy.session.started',
    subject: `sessions/${uuidOf(id)}`,
  });
  await decide(as('bo'), approval, true); // the investigation is claimed a second time
  await ended(id);
  expect(await nthEvent(2)).toMatchObject({
    type: 'tarsy.session.ended',
    data: { title: expect.stringMatching(/^Investigation completed: /), why: 'Well.' },
  });
  await mail.nth(2);
  const { rows } = await suite.sql.query('select count(*)::int as count from notification_deliveries');
  expect(rows).toEqual([{ count: 4 }]);
});

const DELIVERIES = `query ($session: ID) { notificationDeliveries(first: 10, sessionId: $session) { totalCount nodes {
  id channel kind event status attempts nextAttemptAt lastError deliveredAt session { id } } } }`;

test('deliveries are listed for admins, sent again with the same id, and a test reaches its channel', async () => {
  await startNotified(['session.started']);
  suite.app.llm.script({ text: 'All is well.' }, { text: 'Well.' });
  hook.answers.push({ status: 400 });
  const id = await as('ana').submit('Disk trouble');
  await ended(id);
  const first = await hook.nth(1);
  const read = async () => {
    const { notificationDeliveries: list } = await as('root').query<{
      notificationDeliveries: { totalCount: number; nodes: Record<string, unknown>[] };
    }>(DELIVERIES, { session: id });
    return list;
  };
  const ofHook = async () => (await read()).nodes.find(({ channel }) => channel === 'hook')!;
  await expect.poll(ofHook, { timeout: 30_000 }).toMatchObject({
    ...{ kind: 'WEBHOOK', event: 'session.started', status: 'FAILED', attempts: 1, deliveredAt: null },
    ...{ nextAttemptAt: null, lastError: 'HTTP_400: 127.0.0.1 answered 400.', session: { id } },
  });
  expect((await read()).totalCount).toBe(2);
  const warnings = () => as('ana').query<object>('{ systemWarnings { category message } }');
  expect(await warnings()).toEqual({
    systemWarnings: [
      { category: 'notifications', message: 'The channel hook does not deliver notifications (HTTP_400).' },
    ],
  });
  await expect(as('ana').query(DELIVERIES)).rejects.toThrow(/ADMIN|admin/);

  const again = `mutation ($id: ID!) { redeliverNotification(id: $id) { __typename
    ... on RedeliverNotificationSuccess { delivery { status } } ... on Error { message } } }`;
  const { id: delivery } = await ofHook();
  expect(await as('root').query(again, { id: delivery })).toMatchObject({
    redeliverNotification: { delivery: { status: 'PENDING' } },
  });
  expect((await hook.nth(2)).headers['webhook-id']).toBe(first.headers['webhook-id']);
  await expect.poll(ofHook, { timeout: 30_000 }).toMatchObject({ status: 'DELIVERED', attempts: 2 });
  await expect.poll(warnings, { timeout: 30_000 }).toEqual({ systemWarnings: [] });

  const send = `mutation ($name: String!) { testNotificationChannel(name: $name) { __typename
    ... on Error { message } } }`;
  expect(await as('root').query(send, { name: 'hook' })).toMatchObject({
    testNotificationChannel: { __typename: 'TestNotificationChannelSuccess' },
  });
  expect(await nthEvent(3)).toMatchObject({
    type: 'tarsy.test',
    data: {
      title: 'Test of this channel',
      why: 'root requested this test. Nothing happened.',
      session: null,
    },
  });
  expect(await as('root').query(send, { name: 'constructor' })).toMatchObject({
    testNotificationChannel: { __typename: 'NotFoundError' },
  });
  const { rows } = await suite.sql.query(
    `select actor, action, detail from audit_events where action like 'notification.%' order by at, id`,
  );
  expect(rows).toEqual([
    {
      actor: 'root',
      action: 'notification.redeliver',
      detail: { channel: 'hook', event: 'session.started' },
    },
    { actor: 'root', action: 'notification.test', detail: { channel: 'hook' } },
  ]);
});
