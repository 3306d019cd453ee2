import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody, emptyTables, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let api: ApiClient;
let sql: pg.Client;

beforeAll(async () => {
  // There is no worker, so stored sessions stay unchanged.
  app = await startTestApp({ role: 'api', queue: { max_concurrent_sessions: 1 } });
  api = apiClient(app.url);
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await app.stop();
});

const SUBMIT = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename
  ... on SubmitAlertSuccess { notes session { id status alertData alertType chainId author queuePosition } }
  ... on ValidationError { code field message } ... on AlertTooLargeError { code maxBytes actualBytes message } } }`;

type Answer = {
  submitAlert: { __typename: string; session?: Record<string, unknown> } & Record<string, unknown>;
};

const submit = async (input: Record<string, unknown>) =>
  (await api.query<Answer>(SUBMIT, { input })).submitAlert;

async function stored(): Promise<number> {
  const { rows } = await sql.query<{ count: string }>('select count(*) from alert_sessions');
  return Number(rows[0]!.count);
}

test('accepts an alert of exactly 1 MiB in UTF-8 and stores it unchanged', async () => {
  const data = `${'é'.repeat((MIB - 4) / 2)}🚨`;
  expect(Buffer.byteLength(data)).toBe(MIB);
  const answer = await submit({ data });
  expect(answer).toMatchObject({
    __typename: 'SubmitAlertSuccess',
    session: { status: 'PENDING', alertType: 'test', chainId: 'test', author: 'api-client' },
  });
  expect(answer.session!.alertData).toBe(data);
});

test.each<[string, string, string, string | null]>([
  ['NUL', 'before\0after', 'before\ufffdafter', '1 character of the alert is'],
  [
    'lone surrogates',
    'a\ud83d b\ude00\ude00 🚨',
    'a\ufffd b\ufffd\ufffd 🚨',
    '3 characters of the alert are',
  ],
  ['all text', 'a\u0001\ufffd\uffff🚨', 'a\u0001\ufffd\uffff🚨', null],
])('%s in an alert', async (_, data, kept, note) => {
  const answer = await submit({ data });
  expect(answer.session!.alertData).toBe(kept);
  const said = `${note} invalid (NUL or half of a surrogate pair) and became U+FFFD.`;
  expect(answer.notes).toEqual(note === null ? [] : [said]);
});

test.each([
  ['letters', 'A'],
  ['control characters', '\u0001'],
  ['two bytes', 'é'],
  ['three bytes', '中'],
  ['pairs', '🚨'],
])('1 MiB fits with each character escaped: %s', async (_, character) => {
  const data = character.repeat(MIB / Buffer.byteLength(character));
  const units = [...character].flatMap((each) => each.split(''));
  const escaped = units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"query":"mutation ($data: String!) { submitAlert(input: { data: $data }) { __typename ... on SubmitAlertSuccess { session { alertData } } } }","variables":{"data":"${escaped.repeat(MIB / Buffer.byteLength(character))}"}}`,
  });
  const { data: answer } = (await response.json()) as { data: Answer };
  expect(answer.submitAlert.__typename).toBe('SubmitAlertSuccess');
  expect(answer.submitAlert.session!.alertData === data).toBe(true);
});

/** Runs `test` again if it did not run within one minute of the clock, in which the limit counts alerts. */
async function withinOneMinute<T>(test: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const started = minute();
    const result = await test();
    if (minute() === started) return result;
  }
}

test("refuses alerts beyond the queue limit and beyond the sender's rate limit", async () => {
  const several = (count: number) =>
    `mutation { ${Array.from(
      { length: count },
      (_, n) => `a${n}: submitAlert(input: { data: "disk full" }) { __typename
      ... on TooManyAlertsError { code retryAfterSeconds } }`,
    ).join(' ')} }`;
  const answer = await withinOneMinute(async () => {
    const small = await startTestApp({ role: 'api', queue: { max_pending: 2, alerts_per_minute: 3 } });
    try {
      return await apiClient(small.url).query<Record<string, Record<string, unknown>>>(several(4));
    } finally {
      await small.stop();
    }
  });
  expect(Object.values(answer).map(({ __typename, code }) => code ?? __typename)).toEqual([
    'SubmitAlertSuccess',
    'SubmitAlertSuccess',
    'QUEUE_FULL',
    'RATE_LIMITED',
  ]);
});

test('limits the rate of a user apart from a source of that name', async () => {
  const small = await startTestApp({ role: 'api', queue: { alerts_per_minute: 1 }, intake: intakeConfig() });
  const submit = async () => {
    const response = await fetch(`${small.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-user': 'source prod' },
      body: JSON.stringify({
        query: 'mutation { submitAlert(input: { data: "disk full" }) { __typename } }',
      }),
    });
    return ((await response.json()) as { data: Answer }).data.submitAlert.__typename;
  };
  expect(await submit()).toBe('SubmitAlertSuccess');
  expect((await sendDelivery(small.url, alertBody())).status).toBe(202);
  await small.stop();
});

test('refuses one byte more, names both sizes, and stores nothing', async () => {
  const before = await stored();
  expect(await submit({ data: 'x'.repeat(MIB + 1) })).toMatchObject({
    __typename: 'AlertTooLargeError',
    code: 'ALERT_TOO_LARGE',
    maxBytes: MIB,
    actualBytes: MIB + 1,
  });
  expect(await stored()).toBe(before);
});

test.each([
  ['an empty alert', { data: '' }, 'data'],
  ['an alert of white space', { data: ' \n\t ' }, 'data'],
  ['an alert without a character', { data: '\0 \ud83d\n' }, 'data'],
  ['an unknown alert type', { data: 'x', alertType: 'nope' }, 'alertType'],
  [
    'an alert type named like an object prototype property',
    { data: 'x', alertType: 'constructor' },
    'alertType',
  ],
  [
    'an unknown MCP server',
    { data: 'x', mcp: { servers: [{ name: 'tools' }, { name: 'nope' }] } },
    'mcp.servers.1.name',
  ],
  [
    'a server named like an object prototype property',
    { data: 'x', mcp: { servers: [{ name: '__proto__' }] } },
    'mcp.servers.0.name',
  ],
  ['a NUL in the fingerprint', { data: 'x', slackMessageFingerprint: 'a\0b' }, 'slackMessageFingerprint'],
  ['a runbook that is not a URL', { data: 'x', runbookUrl: 'runbook.md' }, 'runbookUrl'],
  ['a runbook over http', { data: 'x', runbookUrl: 'http://github.com/o/r/blob/main/a.md' }, 'runbookUrl'],
  ['a runbook of another host', { data: 'x', runbookUrl: 'https://evil.example/a.md' }, 'runbookUrl'],
  [
    'a runbook of a host that imitates an allowed one',
    { data: 'x', runbookUrl: 'https://github.com.evil.example/a' },
    'runbookUrl',
  ],
  ['a runbook with a password', { data: 'x', runbookUrl: 'https://u:p@github.com/o/r' }, 'runbookUrl'],
  ['a runbook on another port', { data: 'x', runbookUrl: 'https://github.com:8443/o/r' }, 'runbookUrl'],
  ['a runbook that is a script', { data: 'x', runbookUrl: 'javascript:alert(1)' }, 'runbookUrl'],
])('refuses %s with a code and the field, and stores nothing', async (_, input, field) => {
  const before = await stored();
  const answer = await submit(input);
  expect(answer).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION', field });
  expect(String(answer.message).length).toBeGreaterThan(20);
  expect(await stored()).toBe(before);
});

test.each([
  ['broken JSON', '{"query": "mutation {', 400],
  ['JSON that is not a request', '[1, 2]', 400],
  ['a number as alert', JSON.stringify({ query: SUBMIT, variables: { input: { data: 5 } } }), 200],
  ['a missing alert', JSON.stringify({ query: SUBMIT, variables: { input: {} } }), 200],
  [
    'an escaped lone surrogate',
    `{"query":${JSON.stringify(SUBMIT)},"variables":{"input":{"data":"\\ud800"}}}`,
    200,
  ],
])('answers %s with a status below 500 and a code', async (_, body, atMost) => {
  const before = await stored();
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBeGreaterThanOrEqual(200);
  expect(response.status).toBeLessThanOrEqual(Math.max(atMost, 400));
  const text = await response.text();
  expect(text).toMatch(/"code":"[A-Z_]+"/);
  expect(await stored()).toBe(before);
});

test('queued sessions show their queue position', async () => {
  await emptyTables(sql, 'alert_sessions');
  await submit({ data: 'takes the slot' });
  const slots = async () =>
    (await sql.query('select 1 from alert_sessions where dispatched_at is not null')).rowCount;
  await expect.poll(slots).toBe(1);
  const answers = [];
  for (const data of ['one', 'two', 'three']) answers.push(await submit({ data }));
  expect(answers.map(({ session }) => session!.queuePosition)).toEqual([1, 2, 3]);
});
