import { request } from 'node:http';
import { Writable } from 'node:stream';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import {
  alertBody,
  emptyIntake,
  openTestPool,
  SOURCE_TOKEN,
  sendDelivery,
} from '../../test/helpers/deliveries.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let pool: pg.Pool;
let logged = '';
const logTo = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});
beforeAll(async () => {
  app = await startTestApp({
    role: 'api',
    logLevel: 'debug',
    logTo,
    intake: {
      sources: {
        prod: { type: 'generic', tokens: [SOURCE_TOKEN] },
        azure: { type: 'azure-monitor', tokens: [SOURCE_TOKEN], tokens_in_url: true },
        pages: { type: 'pagerduty-events', tokens: [SOURCE_TOKEN] },
        events: { type: 'cloudevents', tokens: [SOURCE_TOKEN] },
        pd: { type: 'pagerduty', tokens: [SOURCE_TOKEN] },
      },
      rules: [{ name: 'pay', match: ['group="pay"'], group_by: ['group'] }],
    },
  });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});
beforeEach(() => emptyIntake(pool));

const codeOf = (answer: Awaited<ReturnType<typeof sendDelivery>>) => [
  answer.status,
  answer.body.errors?.[0]?.extensions.code,
];
const rejected = async () =>
  (
    await pool.query(
      `select source, code, reason, count from intake_decisions where outcome = 'REJECTED' order by code`,
    )
  ).rows;
const stored = async () => (await pool.query('select 1 from alerts')).rows.length;

describe('a delivery is refused', () => {
  it('without its proof, whatever it contains', async () => {
    expect(codeOf(await sendDelivery(app.url, alertBody(), { token: null }))).toEqual([401, 'BAD_PROOF']);
    expect(codeOf(await sendDelivery(app.url, 'no json', { token: 'a-wrong-token-of-somebody' }))).toEqual([
      401,
      'BAD_PROOF',
    ]);
    expect(await stored()).toBe(0);
  });

  it('that cannot be read, with the path of the error', async () => {
    const answer = await sendDelivery(app.url, { title: 'x', labels: 7 }, { source: 'azure' });
    expect(codeOf(answer)).toEqual([422, 'UNREADABLE_DELIVERY']);
    expect(answer.body.errors![0]!.message).toMatch(/^\$\.schemaId: expected azureMonitorCommonAlertSchema/);
    expect(codeOf(await sendDelivery(app.url, '{'))).toEqual([422, 'UNREADABLE_DELIVERY']);
  });

  it('of an unknown source', async () => {
    for (const source of ['other', 'constructor', 'prod/x', 'prod/v2/enqueue', '%2e%2e%2fhealth'])
      expect(codeOf(await sendDelivery(app.url, alertBody(), { source }))).toEqual([404, 'NOT_FOUND']);
    const told = (await rejected()).map(({ code }) => code); // includes rejections of the previous test
    expect(told).not.toContain('NOT_FOUND');
  });

  it('that is compressed, or sent with another method than POST', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(codeOf(await sendDelivery(app.url, alertBody(), { headers }))).toEqual([
      415,
      'UNSUPPORTED_ENCODING',
    ]);
    const get = await fetch(`${app.url}/webhooks/prod`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, PUT']);
  });

  it('that is larger than 4 MiB, with and without Content-Length, and before it is read', async () => {
    const large = JSON.stringify(alertBody({ annotations: { text: 'x'.repeat(4 * MIB) } }));
    expect(codeOf(await sendDelivery(app.url, large))).toEqual([413, 'DELIVERY_TOO_LARGE']);
    const status = await new Promise<number>((resolve, reject) => {
      const chunked = request(`${app.url}/webhooks/prod`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SOURCE_TOKEN}` },
      });
      chunked.on('response', (response) => resolve(response.statusCode!)).on('error', reject);
      for (let written = 0; written < 5; written++) chunked.write('x'.repeat(MIB));
      chunked.end();
    });
    expect(status).toBe(413);
    expect(
      codeOf(await sendDelivery(app.url, alertBody({ annotations: { text: 'x'.repeat(3.9 * MIB) } }))),
    ).toEqual([202, undefined]);
  });

  it('in part, if one of its alerts cannot be read: the others are taken', async () => {
    await emptyIntake(pool);
    const answer = await sendDelivery(app.url, [alertBody(), 7]);
    expect(answer.status).toBe(202);
    const note =
      '1 of 2 alerts are left out, because they cannot be read. The first: $[1]: expected a mapping, got a number.';
    expect(answer.body).toMatchObject({ decisions: [{ alerts: 1 }], notes: [note] });
    expect(await stored()).toBe(1);
    await expect
      .poll(async () => (await rejected()).map(({ code, reason }) => [code, reason]))
      .toContainEqual(['UNREADABLE_DELIVERY', note]);
  });

  it('and each refusal is counted, by source, code and minute', async () => {
    await Promise.all(Array.from({ length: 30 }, () => sendDelivery(app.url, '{}', { token: null })));
    await sendDelivery(app.url, '{');
    await expect
      .poll(async () => (await rejected()).map(({ source, code }) => [source, code]))
      .toEqual(
        expect.arrayContaining([
          ['prod', 'BAD_PROOF'],
          ['prod', 'UNREADABLE_DELIVERY'],
        ]),
      );
    await expect
      .poll(async () =>
        (await rejected())
          .filter(({ code }) => code === 'BAD_PROOF')
          .reduce((sum, { count }) => sum + count, 0),
      )
      .toBe(30);
    expect((await rejected()).length).toBeLessThanOrEqual(4); // one row per code and minute; two minutes possible
    expect((await rejected())[0]!.reason).toBe(
      'No token given. Send it in the header Authorization: Bearer ….',
    );
  });
});

it('a token in the address is accepted where the source allows it, and appears in no log', async () => {
  const body = {
    schemaId: 'azureMonitorCommonAlertSchema',
    data: { essentials: { alertRule: 'r', monitorCondition: 'Fired' } },
  };
  const inUrl = (source: string) =>
    sendDelivery(app.url, body, { source: `${source}?token=${SOURCE_TOKEN}`, token: null });
  expect((await inUrl('azure')).outcome).toBe('INVESTIGATED');
  expect(codeOf(await inUrl('prod'))).toEqual([401, 'BAD_PROOF']);
  expect(logged).toContain('/webhooks/azure');
  expect(logged).not.toContain(SOURCE_TOKEN);
});

it('events in PagerDuty’s format are answered as PagerDuty answers', async () => {
  const event = {
    routing_key: SOURCE_TOKEN,
    event_action: 'trigger',
    dedup_key: 'k1',
    payload: { summary: 'Down', severity: 'error' },
  };
  for (const source of ['pages', 'pages/v2/enqueue']) {
    const answer = await sendDelivery(app.url, event, { source, token: null });
    expect([answer.status, answer.body]).toEqual([
      202,
      { status: 'success', message: 'Event processed', dedup_key: 'k1' },
    ]);
  }
  expect(await stored()).toBe(1);
});

it.each([
  ['of its own', { dedup_key: 'disk full of db-03' }],
  ['of ours', {}],
])(
  'an event in PagerDuty’s format is resolved by the key %s of its answer, also in a group',
  async (_, own) => {
    const pages = async (event: Record<string, unknown>) => {
      const answer = await sendDelivery(
        app.url,
        { routing_key: SOURCE_TOKEN, ...event },
        { source: 'pages', token: null },
      );
      return (answer.body as { dedup_key?: string }).dedup_key;
    };
    const payload = { summary: 'Down', severity: 'error', source: 'db-03', group: 'pay' };
    const key = await pages({ event_action: 'trigger', payload, ...own });
    expect(key).toMatch(/./);
    expect(await pages({ event_action: 'acknowledge', dedup_key: key })).toBe(key);
    expect(await pages({ event_action: 'resolve', dedup_key: key })).toBe(key);
    expect((await pool.query('select state, title from alerts')).rows).toEqual([
      { state: 'RESOLVED', title: expect.any(String) },
    ]);
  },
);

it('a delivery without alerts is accepted and answered so', async () => {
  const answer = await sendDelivery(
    app.url,
    { event: { id: '1', event_type: 'incident.annotated' } },
    { source: 'pd' },
  );
  expect(answer).toMatchObject({
    status: 202,
    body: { status: 'ignored', message: 'An event incident.annotated changes nothing here.', decisions: [] },
  });
});

it('a delivery with a sender’s id is processed once, also when it arrives twice at once', async () => {
  const event = { event: { id: 'E1', event_type: 'incident.triggered', data: { id: 'P1', title: 'Down' } } };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => sendDelivery(app.url, event, { source: 'pd' })),
  );
  expect(answers.map(({ body }) => body.status).sort()).toEqual(['accepted', ...Array(4).fill('repeated')]);
  expect((await pool.query('select deliveries::int from alerts')).rows).toEqual([{ deliveries: 1 }]);
});

it('CloudEvents’ handshake is answered for its sources only', async () => {
  const ask = (source: string) =>
    fetch(`${app.url}/webhooks/${source}`, {
      method: 'OPTIONS',
      headers: { 'webhook-request-origin': 'events.example.com' },
    });
  const allowed = await ask('events');
  expect([allowed.status, allowed.headers.get('webhook-allowed-origin')]).toEqual([
    200,
    'events.example.com',
  ]);
  expect((await ask('prod')).status).toBe(405);
});

it('notes what was cut', async () => {
  const labels = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`l${index}`, 'x']));
  expect((await sendDelivery(app.url, alertBody({ labels }))).body.notes).toEqual([
    '1 of 201 labels are left out; 200 are kept.',
  ]);
});
