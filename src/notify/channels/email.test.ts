import { afterEach, expect, test } from 'vitest';
import { HOSTILE, noticeWith } from '../../../test/fixtures/notice.ts';
import { type MailServer, startMailServer } from '../../../test/helpers/mail-server.ts';
import type { ChannelConfig } from '../../config/types.ts';
import { systemNetwork } from '../../runbooks/network.ts';
import type { SendError } from '../failure.ts';
import { emailChannel } from './email.ts';

type EmailConfig = Extract<ChannelConfig, { kind: 'email' }>;

let server: MailServer;
afterEach(() => server.close());

function send(
  written: string,
  more: Partial<EmailConfig> = {},
  password: string | null = null,
  { signal = AbortSignal.timeout(20_000), network = systemNetwork() } = {},
) {
  const config: EmailConfig = {
    ...{ kind: 'email', name: 'mail', host: 'localhost', port: server.port, security: 'starttls' },
    ...{ username: password === null ? null : 'tarsy', passwordEnv: null, allowPrivate: true },
    ...{ from: 'tarsy@example.com', to: ['ops@example.com', 'lead@example.com'], ...more },
  };
  const outgoing = {
    id: '019a0000-0000-7000-8000-000000000009',
    createdAt: new Date(0),
    notice: noticeWith(written),
  };
  return emailChannel(network, config, password)(outgoing, signal);
}

const failureOf = (sending: Promise<unknown>) =>
  sending.then(
    () => null,
    ({ failure, message }: SendError) => ({ ...failure, message }),
  );

test('hostile text adds no header and no element, and stays readable', async () => {
  server = await startMailServer();
  expect(await send(HOSTILE)).toBeNull();
  const mail = await server.nth(1);
  expect(mail.isEncrypted).toBe(true);
  expect(mail.to).toEqual(['ops@example.com', 'lead@example.com']);
  expect(Object.keys(mail.headers).sort()).toEqual([
    ...['auto-submitted', 'content-type', 'date', 'from', 'in-reply-to', 'message-id', 'mime-version'],
    ...['references', 'subject', 'to', 'x-tarsy-event'],
  ]);
  expect(mail.headers['message-id']).toBe('<019a0000-0000-7000-8000-000000000009@example.com>');
  const { 'text/plain': text = '', 'text/html': html = '' } = mail.parts;
  expect(text).toContain('<script>alert(1)</script>');
  expect(text).toContain('مرحبا שלום');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html.match(/<(?:script|img|a)\b[^>]*>/g)).toEqual([
    '<a href="https://tarsy.example/sessions/019a0000-0000-7000-8000-000000000001">',
  ]);
  for (const part of [text, html]) {
    expect(part).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]|hunter2/);
    expect(part).not.toContain('\0');
    expect(part).toContain('[MASKED]');
  }
});

test('a text of 60,000 characters is shortened', async () => {
  server = await startMailServer();
  await send('x'.repeat(60_000));
  const { parts } = await server.nth(1);
  expect(parts['text/plain']!.length).toBeLessThan(15_000);
  expect(parts['text/plain']).toContain('characters left out');
});

test('a server without STARTTLS gets no mail', async () => {
  server = await startMailServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
  expect(await failureOf(send('x'))).toMatchObject({ code: 'TLS' });
  expect(server.mails).toEqual([]);
});

test('a refused password is tried again later, because it can be corrected', async () => {
  server = await startMailServer();
  const failure = await failureOf(send('x', {}, 'wrong-password'));
  expect(failure).toMatchObject({
    code: 'SMTP_535',
    isFinal: false,
    message: 'localhost answered 535 (EAUTH).',
  });
  expect(await send('x', {}, 'mail-secret')).toBeNull();
});

test('a receiver that the server refuses is named in a remark, and all of them are a final failure', async () => {
  server = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('lead@')
        ? done(Object.assign(new Error('no such user'), { responseCode: 550 }))
        : done(),
  });
  expect(await send('x')).toBe('The server refused 1 of 2 receivers.');
  const failure = await failureOf(send('x', { to: ['lead@example.com'] }));
  expect(failure).toMatchObject({ code: 'SMTP_550', isFinal: true });
});

test('an attempt that takes too long sends no mail afterwards', async () => {
  const asked = Promise.withResolvers<() => void>();
  const closed = Promise.withResolvers<void>();
  server = await startMailServer({
    onRcptTo: (_address, _session, done) => asked.resolve(done),
    onClose: () => closed.resolve(),
  });
  const attempt = new AbortController();
  const failure = failureOf(send('x', { to: ['ops@example.com'] }, null, attempt));
  const accept = await asked.promise;
  attempt.abort();
  accept(); // the slow server continues
  expect(await failure).toMatchObject({ code: 'TIMEOUT' });
  await closed.promise;
  expect(server.mails).toEqual([]);
});

test.each(['starttls', 'tls'] as const)(
  'a mail reaches the server at the address that answers: %s',
  async (security) => {
    server = await startMailServer({ secure: security === 'tls' });
    const network = { ...systemNetwork(), resolve: async () => ['127.0.0.2', '127.0.0.1'] };
    expect(await send('x', { security }, null, { network })).toBeNull();
    expect(server.mails).toHaveLength(1);
  },
);

test('no address is tried beside the checked ones', async () => {
  server = await startMailServer();
  const network = { ...systemNetwork(), resolve: async () => ['127.0.0.2'] };
  const failure = await failureOf(send('x', { host: 'localhost' }, null, { network }));
  expect(failure).toMatchObject({
    code: 'UNREACHABLE',
    message: 'localhost could not be reached (ECONNREFUSED).',
  });
  expect(server.mails).toEqual([]);
});

test.each(['starttls', 'tls'] as const)(
  'a certificate for another name is a TLS failure: %s',
  async (security) => {
    server = await startMailServer({ secure: security === 'tls' });
    const network = { ...systemNetwork(), resolve: async () => ['127.0.0.1'] };
    const failure = await failureOf(send('x', { security, host: 'mail.example' }, null, { network }));
    expect(failure).toMatchObject({
      code: 'TLS',
      message: 'mail.example offers no valid TLS (ERR_TLS_CERT_ALTNAME_INVALID).',
    });
  },
);

test('a private address is refused unless it is allowed', async () => {
  server = await startMailServer();
  const failure = await failureOf(send('x', { allowPrivate: false }));
  expect(failure).toMatchObject({ code: 'PRIVATE_ADDRESS', isFinal: true });
});
