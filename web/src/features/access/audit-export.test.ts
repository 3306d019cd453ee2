import { expect, test } from 'vitest';
import type { AuditEventItemFragment, AuditEventsQueryVariables } from '../../graphql/gen/documents.ts';
import { type AuditPage, readAll, toCsv, toJson } from './audit-export.ts';

const SESSION = btoa('Session:018f0000-0000-7000-8000-000000000001');
const event = (changes: Partial<AuditEventItemFragment> = {}): AuditEventItemFragment => ({
  ...{ id: 'e1', at: '2026-11-23T00:00:00.000Z', actor: 'ana', action: 'session.cancel', targetId: SESSION },
  ...{ detail: null, via: 'PROXY', address: '192.0.2.7' },
  ...changes,
});

test('writes CSV with quoted cells', () => {
  expect(toCsv([event({ detail: { name: 'a "b", c' }, address: null })])).toBe(
    'at,actor,via,address,action,target_type,target_id,detail\r\n' +
      '2026-11-23T00:00:00.000Z,ana,PROXY,,session.cancel,Session,018f0000-0000-7000-8000-000000000001,' +
      '"{""name"":""a \\""b\\"", c""}"\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@x', '\tx', '=HYPERLINK("http://evil")'])(
  'escapes the spreadsheet formula %j',
  (actor) => {
    const line = toCsv([event({ actor })]).split('\r\n')[1]!;
    expect(line).toMatch(/^2026-11-23T00:00:00\.000Z,"?'[=+\-@\t]/);
  },
);

test('writes JSON with the fields of the API', () => {
  const withMore = { ...event(), __typename: 'AuditEvent' };
  expect(JSON.parse(toJson([withMore]))).toEqual([event()]);
});

test('reads all pages up to the limit of a file', async () => {
  const asked: unknown[] = [];
  const read = async ({ first, after }: AuditEventsQueryVariables): Promise<AuditPage> => {
    asked.push([first, after]);
    const nodes = Array.from({ length: first! }, () => event());
    return { totalCount: 500, nodes, pageInfo: { hasNextPage: true, endCursor: `c${asked.length}` } };
  };
  const { events, total } = await readAll({ last: 25, before: 'here' }, read, 250);
  expect(asked).toEqual([
    [100, null],
    [100, 'c1'],
    [50, 'c2'],
  ]);
  expect([events.length, total]).toEqual([250, 500]);
});
