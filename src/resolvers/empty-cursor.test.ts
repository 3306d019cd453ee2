import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, insertRow, insertSession, openApi } from '../../test/helpers/http-api.ts';

let api: Api;
let group: string;
beforeAll(async () => {
  api = await openApi();
  const at = new Date(Date.UTC(2026, 0, 1));
  group = await insertRow(api.pool, 'alert_groups', {
    ...{ source: 'prod', group_key: 'db', title: 'Database', severity: 'CRITICAL', state: 'FIRING' },
    ...{ alert_type: 'host', opened_at: at, last_received_at: at },
  });
  for (let n = 0; n < 3; n++) {
    await insertSession(api.pool);
    await insertRow(api.pool, 'alerts', {
      ...{ source: 'prod', fingerprint: `f${n}`, group_id: group, title: `a${n}`, severity: 'CRITICAL' },
      ...{ labels: {}, annotations: {}, state: 'FIRING' },
      ...{ starts_at: at, first_received_at: at, last_received_at: at },
    });
  }
});
afterAll(() => api.close());

const BACKWARD_TOO = ['sessions', 'alertGroups', 'auditEvents'];
const FORWARD_ONLY = ['intakeDecisions', 'memories', 'silences'];

it.each([...BACKWARD_TOO, ...FORWARD_ONLY])('an empty cursor is as good as none: %s', async (list) => {
  const pageOf = async (args: string) => {
    const { data, errors } = await api.query(`{ ${list}(${args}) { totalCount edges { cursor } } }`);
    expect(errors).toBeUndefined();
    return data;
  };
  expect(await pageOf('first: 2, after: ""')).toEqual(await pageOf('first: 2'));
  if (BACKWARD_TOO.includes(list))
    expect(await pageOf('last: 2, before: ""')).toEqual(await pageOf('last: 2'));
});

it('an empty cursor is as good as none in lists of a group', async () => {
  const { data, errors } = await api.query(`{ alertGroup(id: "${group}") {
    alerts(first: 2, after: "") { nodes { title } } rest: alerts(last: 2, before: "") { nodes { title } }
    decisions(first: 2, after: "") { totalCount }
  } }`);
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    alertGroup: {
      alerts: { nodes: [{}, {}] },
      rest: { nodes: [{}, {}] },
      decisions: { totalCount: 0 },
    },
  });
});
