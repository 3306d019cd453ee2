import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SourceType } from '../../config/enums.ts';
import { deliveryOf, sourceOf } from '../fixtures/delivery.ts';
import { verificationOf, verifyDelivery } from './index.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const SECRET = 'a-secret-of-the-sender-1';
const OTHER = 'a-secret-of-the-sender-2';
const noCertificates = () => Promise.reject(new Error('nothing is fetched'));

const API_TOKEN = 'tarsy_of-a-program';
const submitterOf = async (token: string) => (token === API_TOKEN ? { team: 'shop' } : null);

type Source = ReturnType<typeof sourceOf>;
const check = (delivery: ReturnType<typeof deliveryOf>, source: Source, now = NOW) =>
  verifyDelivery(delivery, source, { now: () => now, certificateOf: noCertificates, submitterOf });
const REFUSED = { status: 401, code: 'BAD_PROOF' };

describe('a token', () => {
  const source = sourceOf('alertmanager', { tokens: [SECRET, OTHER] });

  it.each([`Bearer ${SECRET}`, `Bearer ${OTHER}`, `GenieKey ${SECRET}`])(
    'is accepted: %s',
    async (authorization) => {
      await expect(check(deliveryOf('{}', { authorization }), source)).resolves.toEqual({ team: null });
    },
  );

  it.each([
    [{}, 'No token given. Send it in the header Authorization: Bearer ….'],
    [{ authorization: 'Bearer wrong' }, 'The token is wrong.'],
    [{ authorization: `Bearer ${SECRET}x` }, 'The token is wrong.'],
    [{ authorization: SECRET }, 'No token given.'],
    [{ authorization: `Basic ${SECRET}` }, 'No token given.'],
    [{ 'x-token': SECRET }, 'No token given.'],
  ])('is refused: %j', async (headers, message) => {
    await expect(check(deliveryOf('{}', headers as Record<string, string>), source)).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(message),
    });
  });

  it('may be an API token if the source allows it, but never in the address', async () => {
    const bearer = { authorization: `Bearer ${API_TOKEN}` };
    await expect(check(deliveryOf('{}', bearer), source)).rejects.toMatchObject(REFUSED);
    const open = sourceOf('alertmanager', { apiTokens: true });
    await expect(check(deliveryOf('{}', bearer), open)).resolves.toEqual({ team: 'shop' });
    await expect(check(deliveryOf('{}', { authorization: 'Bearer x' }), open)).rejects.toMatchObject(REFUSED);
    await expect(check(deliveryOf('{}', {}), open)).rejects.toMatchObject(REFUSED);
    const inUrl = { ...open, tokens: [SECRET], tokensInUrl: true };
    const delivery = { ...deliveryOf('{}', {}), query: new URLSearchParams({ token: API_TOKEN }) };
    await expect(check(delivery, inUrl)).rejects.toMatchObject(REFUSED);
    expect(verificationOf(open)).toBe('TOKEN');
  });

  it('is read only from the header that the source names', async () => {
    const named = sourceOf('opsgenie', { tokens: [SECRET], tokenHeader: 'x-token' });
    await expect(check(deliveryOf('{}', { 'x-token': SECRET }), named)).resolves.toEqual({ team: null });
    await expect(check(deliveryOf('{}', { authorization: `Bearer ${SECRET}` }), named)).rejects.toMatchObject(
      REFUSED,
    );
  });

  it('is read from the address only if the source allows it', async () => {
    for (const name of ['token', 'auth_token', 'access_token']) {
      const delivery = deliveryOf('{}', {}, `${name}=${SECRET}`);
      await expect(check(delivery, source)).rejects.toMatchObject(REFUSED);
      await expect(check(delivery, { ...source, tokensInUrl: true })).resolves.toEqual({ team: null });
    }
    const wrong = deliveryOf('{}', { authorization: 'Bearer wrong' }, `token=${SECRET}`);
    await expect(check(wrong, { ...source, tokensInUrl: true })).rejects.toMatchObject(REFUSED);
  });

  it('is read from the routing key of events in PagerDuty’s format', async () => {
    const events = sourceOf('pagerduty-events', { tokens: [SECRET] });
    await expect(check(deliveryOf({ routing_key: SECRET }), events)).resolves.toEqual({ team: null });
    for (const body of [{ routing_key: OTHER }, {}, 'no json'])
      await expect(check(deliveryOf(body), events)).rejects.toMatchObject(REFUSED);
  });
});

it('accepts only the right password', async () => {
  const source = sourceOf('datadog', { basic: { username: 'dd', passwords: [SECRET, OTHER] } });
  const given = (text: string) =>
    check(deliveryOf('{}', { authorization: `Basic ${Buffer.from(text).toString('base64')}` }), source);
  await expect(given(`dd:${SECRET}`)).resolves.toEqual({ team: null });
  await expect(given(`dd:${OTHER}`)).resolves.toEqual({ team: null });
  for (const wrong of [`dd:`, `other:${SECRET}`, `dd:${SECRET} `, SECRET])
    await expect(given(wrong)).rejects.toMatchObject({
      ...REFUSED,
      message: 'The user or the password is wrong.',
    });
  await expect(check(deliveryOf('{}'), source)).rejects.toMatchObject(REFUSED);
});

describe('a signature', () => {
  const body = Buffer.from('{"a": 1 }\n');
  const hmac = (secret: string, text: string | Buffer = body) =>
    createHmac('sha256', secret).update(text).digest('hex');
  const signed = (type: SourceType, header: string, timestampHeader: string | null = null) =>
    sourceOf(type, { signature: { secrets: [SECRET, OTHER], header, timestampHeader } });

  it.each([
    ['grafana', 'x-grafana-alerting-signature', (mac: string) => mac],
    ['pagerduty', 'x-pagerduty-signature', (mac: string) => `v1=${'0'.repeat(64)},v1=${mac}`],
    ['sentry', 'sentry-hook-signature', (mac: string) => mac],
    ['generic', 'x-signature', (mac: string) => `sha256=${mac.toUpperCase()}`],
  ] as const)(
    'covers the raw bytes of a delivery (%s), with any of the secrets',
    async (type, header, written) => {
      const source = signed(type, header);
      for (const secret of [SECRET, OTHER])
        await expect(check(deliveryOf(body, { [header]: written(hmac(secret)) }), source)).resolves.toEqual({
          team: null,
        });
      const wrong = [
        { [header]: written(hmac('another secret of somebody')) },
        { [header]: written(hmac(SECRET, '{"a":1}')) },
        { [header]: written(hmac(SECRET).slice(0, 63)) },
        { [header]: '' },
        {},
        { 'x-other': written(hmac(SECRET)) },
      ];
      for (const headers of wrong)
        await expect(
          check(deliveryOf(body, headers as Record<string, string>), source),
        ).rejects.toMatchObject(REFUSED);
    },
  );

  it('covers the signed time, and is valid for five minutes before and after it', async () => {
    const source = signed('grafana', 'x-sig', 'x-time');
    const at = (seconds: number, signedAs = String(seconds)) =>
      check(
        deliveryOf(body, { 'x-sig': hmac(SECRET, `${signedAs}:${body}`), 'x-time': String(seconds) }),
        source,
      );
    const now = NOW / 1000;
    for (const time of [now, now - 300, now + 300]) await expect(at(time)).resolves.toEqual({ team: null });
    await expect(at(now - 301)).rejects.toMatchObject({
      message:
        'The signed time differs from the server’s by 301 s; at most 300 s are allowed. Check both clocks.',
    });
    await expect(at(now + 301)).rejects.toMatchObject(REFUSED);
    await expect(at(now, String(now - 1))).rejects.toMatchObject({ message: 'The signature is wrong.' });
    const timeless = deliveryOf(body, { 'x-sig': hmac(SECRET) });
    await expect(check(timeless, source)).rejects.toMatchObject(REFUSED);
    for (const time of ['soon', '-1', '1e9', ''])
      await expect(
        check(deliveryOf(body, { 'x-sig': hmac(SECRET, `${time}:${body}`), 'x-time': time }), source),
      ).rejects.toMatchObject(REFUSED);
  });

  it('is required in addition to a token if both are configured', async () => {
    const both = { ...signed('grafana', 'x-sig'), tokens: [SECRET] };
    const token = { authorization: `Bearer ${SECRET}` };
    await expect(check(deliveryOf(body, { ...token, 'x-sig': hmac(SECRET) }), both)).resolves.toEqual({
      team: null,
    });
    await expect(check(deliveryOf(body, token), both)).rejects.toMatchObject(REFUSED);
    await expect(check(deliveryOf(body, { 'x-sig': hmac(SECRET) }), both)).rejects.toMatchObject(REFUSED);
  });
});

it('reports the strongest kind of proof', () => {
  const signature = { secrets: [SECRET], header: 'x', timestampHeader: null };
  const basic = { username: 'a', passwords: [SECRET] };
  expect(verificationOf(sourceOf('grafana', { signature, basic, tokens: [SECRET] }))).toBe('SIGNATURE');
  expect(verificationOf(sourceOf('cloudwatch', { topicArns: ['arn'], tokens: [SECRET] }))).toBe('SIGNATURE');
  expect(verificationOf(sourceOf('grafana', { basic, tokens: [SECRET] }))).toBe('BASIC');
  expect(verificationOf(sourceOf('grafana', { tokens: [SECRET] }))).toBe('TOKEN');
  expect(verificationOf(sourceOf('grafana'))).toBe('NONE');
});
