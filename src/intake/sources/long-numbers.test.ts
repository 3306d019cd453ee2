import { expect, test } from 'vitest';
import { read } from '../fixtures/delivery.ts';

/** Two neighbouring ids that are one number in 64-bit floating point. */
const [ONE, OTHER] = ['9007199254740992', '9007199254740993'];

test.each([
  ['sentry', (id: string) => `{"action":"resolved","data":{"issue":{"id":${id},"title":"T"}}}`],
  ['generic', (id: string) => `{"title":"T","fingerprint":${id}}`],
  ['generic', (id: string) => `{"title":"T","incident_id":${id}}`],
  ['generic', (id: string) => `{"title":"T","labels":{"incident":${id}}}`],
  ['opsgenie', (id: string) => `{"action":"Create","alert":{"alertId":${id},"message":"T"}}`],
  [
    'alertmanager',
    (id: string) => `{"alerts":[{"status":"firing","labels":{"alertname":"T","shard":${id}}}]}`,
  ],
] as const)('%s keeps alerts apart whose ids differ in the last digit of a long number', (type, body) => {
  const [one, other] = [ONE, OTHER].map((id) => read(type, body(id)).alerts[0]!);
  expect(one!.fingerprint).not.toBe(other!.fingerprint);
  expect(read(type, body(ONE)).alerts[0]!.fingerprint).toBe(one!.fingerprint);
});

test('long numbers keep their digits in labels, in lists and in the text for agents', () => {
  const body = `{"title":"T","labels":{"id":${OTHER}},"detail":{"ids":[${OTHER},-${OTHER}],"n":1.5}}`;
  const { labels, annotations } = read('generic', body).alerts[0]!;
  expect(labels.id).toBe(OTHER);
  expect(annotations.body).toContain(`"ids":[${OTHER},-${OTHER}],"n":1.5`);
});

test('a time in ns and a long measurement distinguish no alerts', () => {
  const at = (ns: string) => `{"title":"T","starts_at":${ns},"bytes":${ns}}`;
  const [one, other] = ['1764000000000000001', '1764000000000000999'].map(
    (ns) => read('generic', at(ns)).alerts[0]!,
  );
  expect(one!.startsAt).toEqual(new Date(1_764_000_000_000));
  expect(one!.fingerprint).toBe(other!.fingerprint);
});

test.each([
  ['a number of a million digits', `{"title":"T","id":${'9'.repeat(1_000_000)}}`],
  ['deep nesting', `{"title":"T","id":${OTHER},"detail":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
])('%s loses no alert', (_what, body) => {
  expect(read('generic', body).alerts).toMatchObject([{ title: 'T' }]);
});
