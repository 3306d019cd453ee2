import { execFileSync } from 'node:child_process';
import { createPrivateKey, createSign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryOf, sourceOf } from '../fixtures/delivery.ts';
import { createCertificates } from './certificates.ts';
import { verifyDelivery } from './index.ts';

const SECRET = 'a-secret-of-the-sender-1';
const REFUSED = { status: 401, code: 'BAD_PROOF' };

describe('a message of SNS', () => {
  const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:alarms';
  const CERTIFICATE = `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0a'.repeat(16)}.pem`;
  const source = sourceOf('cloudwatch', { topicArns: [TOPIC] });
  let dir: string;
  let certificate: string;
  let key: ReturnType<typeof createPrivateKey>;
  let now: number;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'tarsy-sns-'));
    const files = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=sns.amazonaws.com',
      ...files,
    ];
    execFileSync('openssl', made, { stdio: 'ignore' });
    certificate = readFileSync(join(dir, 'cert.pem'), 'utf8');
    key = createPrivateKey(readFileSync(join(dir, 'key.pem')));
    now = Date.now() + 60_000; // within the certificate's validity
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const FIELDS: Record<string, string[]> = {
    Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
    SubscriptionConfirmation: [
      'Message',
      'MessageId',
      'SubscribeURL',
      'Timestamp',
      'Token',
      'TopicArn',
      'Type',
    ],
  };
  function message(
    more: Record<string, unknown> = {},
    signedAs: Record<string, unknown> = {},
  ): Record<string, unknown> {
    const sent: Record<string, unknown> = {
      Type: 'Notification',
      MessageId: '1',
      TopicArn: TOPIC,
      Message: '{"AlarmName":"größe"}',
      Timestamp: new Date(now).toISOString(),
      SignatureVersion: '2',
      SigningCertURL: CERTIFICATE,
      ...more,
    };
    const what: Record<string, unknown> = { ...sent, ...signedAs };
    const text = (FIELDS[String(what.Type)] ?? []).flatMap((name) =>
      what[name] === undefined ? [] : [`${name}\n${what[name]}\n`],
    );
    const sign = createSign(sent.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text.join(''));
    return { ...sent, Signature: sign.sign(key, 'base64') };
  }
  const checkWith = (
    body: unknown,
    options: {
      at?: number;
      headers?: Record<string, string>;
      source?: ReturnType<typeof sourceOf>;
      fetchPem?: () => Promise<string>;
    } = {},
  ) => {
    const clock = () => options.at ?? now;
    const certificateOf = createCertificates({
      now: clock,
      fetchPem: options.fetchPem ?? (async () => certificate),
    });
    return verifyDelivery(deliveryOf(body, options.headers), options.source ?? source, {
      now: clock,
      certificateOf,
      submitterOf: async () => null,
    });
  };

  it('is accepted with either signature, with and without a subject, and as a subscription request', async () => {
    await expect(checkWith(message())).resolves.toEqual({ team: null });
    await expect(checkWith(message({ SignatureVersion: '1', Subject: 'ALARM' }))).resolves.toEqual({
      team: null,
    });
    const asked = {
      Type: 'SubscriptionConfirmation',
      Token: 't',
      SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?x',
    };
    await expect(checkWith(message(asked))).resolves.toEqual({ team: null });
  });

  it.each([
    ['another topic of another account', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:alarms' }, {}],
    ['another text than the signed one', {}, { Message: 'x' }],
    ['another subject', { Subject: 'a' }, { Subject: 'b' }],
    ['no known signature', { SignatureVersion: '3' }, {}],
    ['no known type', { Type: 'Other' }, {}],
    ['no time', { Timestamp: 'now' }, {}],
  ])('is refused with %s', async (_, more, signedAs) => {
    await expect(checkWith(message(more, signedAs))).rejects.toMatchObject(REFUSED);
  });

  it('is refused an hour later, so that a recorded message cannot be replayed', async () => {
    await expect(checkWith(message(), { at: now + 3_600_000 })).resolves.toEqual({ team: null });
    await expect(checkWith(message(), { at: now + 3_600_001 })).rejects.toMatchObject({
      ...REFUSED,
      message: 'The message is not from the last 60 minutes.',
    });
  });

  it.each([
    CERTIFICATE.replace('https', 'http'),
    CERTIFICATE.replace('.amazonaws.com', '.amazonaws.com.evil.example'),
    CERTIFICATE.replace('sns.eu-west-1', 'evil'),
    CERTIFICATE.replace('sns.', 'user@sns.'),
    CERTIFICATE.replace('.com/', '.com:8443/'),
    `${CERTIFICATE}?x=.pem`,
    CERTIFICATE.replace('SimpleNotificationService', '../SimpleNotificationService/../x'),
    'http://169.254.169.254/latest/meta-data',
    '',
    undefined,
  ])('never causes a fetch from another address: %s', async (SigningCertURL) => {
    const fetched: string[] = [];
    const fetchPem = async () => {
      fetched.push('fetched');
      return certificate;
    };
    await expect(checkWith(message({ SigningCertURL }), { fetchPem })).rejects.toMatchObject(REFUSED);
    expect(fetched).toEqual([]);
  });

  it('may be retried if its certificate is unavailable, and is refused if the certificate is invalid', async () => {
    const away = () => Promise.reject(new Error('away'));
    await expect(checkWith(message(), { fetchPem: away })).rejects.toMatchObject({
      status: 503,
      code: 'PROOF_UNAVAILABLE',
    });
    await expect(checkWith(message(), { fetchPem: async () => '<html>' })).rejects.toMatchObject(REFUSED);
    const expired = now + 3 * 24 * 3_600_000;
    const late = message({ Timestamp: new Date(expired).toISOString() });
    await expect(checkWith(late, { at: expired })).rejects.toMatchObject({
      message: 'The signing certificate is expired or not yet valid.',
    });
  });

  it('has its certificate fetched once a day, even if many messages arrive at once', async () => {
    let fetched = 0;
    let clock = now;
    const certificateOf = createCertificates({
      now: () => clock,
      fetchPem: async () => {
        fetched++;
        return certificate;
      },
    });
    const url = new URL(CERTIFICATE);
    await Promise.all([certificateOf(url), certificateOf(url)]);
    await certificateOf(url);
    expect(fetched).toBe(1);
    clock += 24 * 3_600_000;
    await certificateOf(url);
    expect(fetched).toBe(2);
  });

  it('has one of the last 50 certificates kept', async () => {
    const fetched: string[] = [];
    const certificateOf = createCertificates({
      now: () => now,
      fetchPem: async ({ pathname }) => {
        fetched.push(pathname);
        return certificate;
      },
    });
    const urls = Array.from({ length: 51 }, (_, n) => new URL(`/${n}.pem`, CERTIFICATE));
    for (const url of [...urls, urls[50]!, urls[0]!]) await certificateOf(url);
    expect(fetched).toEqual([...urls.map(({ pathname }) => pathname), '/0.pem']);
  });

  it('needs another proof if it has no envelope and signature', async () => {
    const headers = { 'x-amz-sns-rawdelivery': 'true' };
    await expect(checkWith({ AlarmName: 'x' }, { headers })).rejects.toMatchObject(REFUSED);
    const withToken = { ...source, tokens: [SECRET] };
    await expect(checkWith({ AlarmName: 'x' }, { headers, source: withToken })).rejects.toMatchObject(
      REFUSED,
    );
    const proven = { ...headers, authorization: `Bearer ${SECRET}` };
    await expect(checkWith({ AlarmName: 'x' }, { headers: proven, source: withToken })).resolves.toEqual({
      team: null,
    });
  });
});
