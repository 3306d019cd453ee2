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
  const { rows } = await suite.sql.query(
    'select channel, event, status, attempts from notification_deliveries order by channel, created_at',
  );
  expect(rows).toEqual(
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
