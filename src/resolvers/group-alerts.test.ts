import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, insertRow, openApi } from '../../test/helpers/http-api.ts';

interface Alerts {
  nodes: { title: string; state: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

let api: Api;
let group: string;
beforeAll(async () => {
  api = await openApi();
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
  group = await insertRow(api.pool, 'alert_groups', {
    ...{ source: 'prod', group_key: 'db', title: 'Database', severity: 'CRITICAL', state: 'FIRING' },
    ...{ alert_type: 'host', opened_at: at(0), last_received_at: at(30) },
  });
  for (let n = 0; n < 8; n++)
    await insertRow(api.pool, 'alerts', {
      ...{ source: 'prod', fingerprint: `f${n}`, group_id: group, title: `a${n}`, severity: 'CRITICAL' },
      ...{ labels: {}, annotations: {}, state: n < 5 ? 'RESOLVED' : 'FIRING' },
      // Two alerts of each state start at the same time, so that their ids break the tie.
      ...{ starts_at: at(n === 1 ? 0 : n === 6 ? 5 : n), first_received_at: at(n), last_received_at: at(n) },
    });
});
afterAll(() => api.close());

async function ask(args: string) {
  const page = 'nodes { title state } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const { data, errors } = await api.query<{ alertGroup: { alerts: Alerts } }>(
    `{ alertGroup(id: "${group}") { alerts(${args}) { ${page} } } }`,
  );
  return { alerts: data?.alertGroup?.alerts, errors };
}

const titles = ({ nodes }: Alerts) => nodes.map(({ title }) => title);
const ORDER = ['a5', 'a6', 'a7', 'a0', 'a1', 'a2', 'a3', 'a4'];

describe('alerts of a group', () => {
  it.each(['first', 'last'])('are paged with `%s`, firing alerts first', async (by) => {
    const pages: string[][] = [];
    for (let cursor: string | null = null, rest = ORDER.length; rest > 0; rest -= 2) {
      const border: string = cursor === null ? '' : `, ${by === 'first' ? 'after' : 'before'}: "${cursor}"`;
      const { alerts } = await ask(`${by}: 2${border}`);
      const { startCursor, endCursor, hasNextPage, hasPreviousPage } = alerts!.pageInfo;
      expect([hasNextPage, hasPreviousPage]).toEqual(
        by === 'first' ? [rest > 2, cursor !== null] : [cursor !== null, rest > 2],
      );
      cursor = by === 'first' ? endCursor : startCursor;
      pages.push(titles(alerts!));
    }
    expect((by === 'first' ? pages : pages.reverse()).flat()).toEqual(ORDER);
  });

  it('refuse cursors of other lists', async () => {
    const of = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
    const rest = ['2026-01-01T12:00:00.000Z', group];
    for (const cursor of [of(...rest), of('GONE', ...rest), of(1, ...rest), of('FIRING', ...rest, 'x')]) {
      const { errors } = await ask(`after: "${cursor}"`);
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });
});

it('counts a list once, and looks beyond its page once, however many aliases select it', async () => {
  const { alerts } = await ask('first: 4');
  const border = `before: "${alerts!.pageInfo.endCursor}"`;
  const names = (field: string) => Array.from({ length: 30 }, (_, n) => `${field}${n}: ${field}`).join(' ');
  const asked = `${names('totalCount')} pageInfo { ${names('hasNextPage')} }`;
  for (const document of [
    `{ alertGroup(id: "${group}") { alerts(last: 2, ${border}) { ${asked} } } }`,
    `{ alertGroup(id: "${group}") { decisions { ${names('totalCount')} } } }`,
    `{ alertGroups(filter: { search: "data" }) { ${names('totalCount')} } }`,
  ]) {
    const before = api.statements.length;
    expect((await api.query(document)).errors).toBeUndefined();
    const made = api.statements.slice(before).map(({ sql }) => sql);
    expect(made.filter((sql) => sql.includes('count(*)'))).toHaveLength(1);
    expect(new Set(made).size).toBe(made.length);
  }
});
