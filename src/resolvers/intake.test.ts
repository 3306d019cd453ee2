import { describe, expect, it } from 'vitest';
import { alertBody, sendDelivery } from '../../test/helpers/deliveries.ts';
import { intakeApi } from '../../test/helpers/intake-api.ts';
import { readEvents } from '../../test/helpers/sse.ts';

const api = intakeApi();

const GROUP = `id source groupKey title severity state flapping alertType team alertCount firingCount openedAt resolvedAt lastReceivedAt
  alerts { totalCount nodes { id source fingerprint title severity state labels annotations startsAt endsAt url deliveries group { groupKey } } }
  sessions { id status group { groupKey } resolvedAt }
  decisions { nodes { id outcome reason rule count alert { fingerprint } group { groupKey } session { status } silence { comment } } }`;

describe('alert groups', () => {
  it('are read with their alerts, sessions and decisions', async () => {
    await sendDelivery(api.app.url, alertBody({ annotations: { text: 'x' }, url: 'https://example.com/a' }));
    await sendDelivery(api.app.url, alertBody({ fingerprint: 'cpu', title: 'CPU' }));
    const { data, errors } = await api.query(`{ alertGroups(first: 5) { totalCount nodes { ${GROUP} } } }`);
    expect(errors).toBeUndefined();
    expect(data.alertGroups).toMatchObject({
      totalCount: 1,
      nodes: [
        {
          ...{
            source: 'prod',
            groupKey: 'db',
            title: 'Disk full: host db-03',
            severity: 'CRITICAL',
            state: 'FIRING',
            flapping: false,
          },
          ...{ alertType: 'test', team: null, alertCount: 2, firingCount: 2, resolvedAt: null },
          alerts: {
            totalCount: 2,
            nodes: [
              {
                fingerprint: 'disk',
                labels: { host: 'db-03' },
                annotations: { text: 'x' },
                url: 'https://example.com/a',
                deliveries: 1,
                group: { groupKey: 'db' },
              },
              { fingerprint: 'cpu' },
            ],
          },
          sessions: [{ status: 'PENDING', group: { groupKey: 'db' }, resolvedAt: null }],
          decisions: {
            nodes: [
              {
                outcome: 'JOINED',
                alert: { fingerprint: 'cpu' },
                group: { groupKey: 'db' },
                session: { status: 'PENDING' },
                silence: null,
                rule: null,
              },
              { outcome: 'INVESTIGATED', count: 1 },
            ],
          },
        },
      ],
    });
    const [group] = data.alertGroups.nodes;
    const ids = [group.id, group.alerts.nodes[0].id, group.decisions.nodes[0].id];
    const nodes = await api.query('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
    expect(nodes.data.nodes).toEqual([
      { __typename: 'AlertGroup', id: ids[0] },
      { __typename: 'Alert', id: ids[1] },
      { __typename: 'IntakeDecision', id: ids[2] },
    ]);
    expect(
      (await api.query(`query ($id: ID!) { alertGroup(id: $id) { title } }`, { id: group.id })).data
        .alertGroup,
    ).toEqual({ title: 'Disk full: host db-03' });
    expect((await api.query(`{ alertGroup(id: "nothing") { title } }`)).data.alertGroup).toBeNull();
  });

  it('started with their first firing alert by the sender’s time, but not after they were received', async () => {
    const started = async () => {
      const { data } = await api.query('{ alertGroups { nodes { startedAt openedAt } } }');
      return data.alertGroups.nodes[0];
    };
    const early = { starts_at: '2026-11-01T10:00:00.000Z' };
    const late = { fingerprint: 'cpu', starts_at: '2999-01-01T00:00:00.000Z' };
    await sendDelivery(api.app.url, [alertBody(early), alertBody(late)]);
    expect((await started()).startedAt).toBe(early.starts_at);
    await sendDelivery(api.app.url, alertBody({ ...early, state: 'resolved' }));
    const { startedAt, openedAt } = await started();
    expect(startedAt).toBe(openedAt);
    await sendDelivery(api.app.url, alertBody({ ...late, state: 'resolved' }));
    expect((await started()).startedAt).toBe(early.starts_at);
  });

  it('match each condition of the filter', async () => {
    await sendDelivery(
      api.app.url,
      alertBody({ fingerprint: 'a', group: 'a', title: 'Alpha', labels: { zone: 'eu-west' } }),
    );
    await sendDelivery(
      api.app.url,
      alertBody({ fingerprint: 'b', group: 'b', title: 'Beta 100%', severity: 'info' }),
    );
    await sendDelivery(
      api.app.url,
      alertBody({ fingerprint: 'c', group: 'c', title: 'Gamma', state: 'resolved' }),
    );
    const find = async (filter: Record<string, unknown>) =>
      (
        await api.query(
          'query ($filter: AlertGroupFilter) { alertGroups(filter: $filter) { nodes { groupKey } } }',
          { filter },
        )
      ).data.alertGroups.nodes.map(({ groupKey }: { groupKey: string }) => groupKey);
    expect(await find({})).toEqual(['c', 'b', 'a']);
    expect(await find({ state: 'FIRING' })).toEqual(['b', 'a']);
    expect(await find({ severity: ['INFO'] })).toEqual(['b']);
    expect(await find({ source: ['other'] })).toEqual([]);
    expect(await find({ alertType: ['test'], severity: [] })).toHaveLength(3);
    expect(await find({ team: ['shop'] })).toEqual(['b']);
    expect(await find({ search: 'WEST' })).toEqual(['a']);
    expect(await find({ search: '100%' })).toEqual(['b']);
    expect(await find({ search: '%%%' })).toEqual([]);
    expect(await find({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await find({ before: new Date(Date.now() + 60_000).toISOString() })).toHaveLength(3);
    const short = await api.query('{ alertGroups(filter: { search: "ab" }) { totalCount } }');
    expect(short.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('are paged in both directions without gaps or repeats', async () => {
    for (let index = 0; index < 5; index++)
      await sendDelivery(
        api.app.url,
        alertBody({ fingerprint: `f${index}`, group: `g${index}`, severity: 'info' }),
      );
    await api.pool.query(`update alert_groups set last_received_at = '2026-01-01T00:00:00Z'`); // equal times, so that ids break the tie
    const page = async (args: string) =>
      (
        await api.query(
          `{ alertGroups(${args}) { nodes { groupKey } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
        )
      ).data.alertGroups;
    const first = await page('first: 2');
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
    const third = await page(`first: 2, after: "${second.pageInfo.endCursor}"`);
    expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const keys = [first, second, third].flatMap(({ nodes }) =>
      nodes.map(({ groupKey }: { groupKey: string }) => groupKey),
    );
    expect(new Set(keys).size).toBe(5);
    const back = await page(`last: 2, before: "${third.pageInfo.startCursor}"`);
    expect(back.nodes).toEqual(second.nodes);
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    for (const args of ['first: 0', 'first: 101', 'first: 1, last: 1', 'after: "x"', 'after: "WzEsMl0"'])
      expect((await api.query(`{ alertGroups(${args}) { totalCount } }`)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
  });

  it('are investigated once on request, regardless of their rules', async () => {
    await sendDelivery(api.app.url, alertBody({ severity: 'info' }));
    const { data } = await api.query('{ alertGroups { nodes { id decisions { nodes { outcome rule } } } } }');
    const [{ id, decisions }] = data.alertGroups.nodes;
    expect(decisions.nodes).toEqual([{ outcome: 'EXCLUDED', rule: 'quiet' }]);
    const ask = `mutation ($id: ID!) { investigateAlertGroup(id: $id) {
      __typename ... on InvestigateAlertGroupSuccess { session { id status group { id } } } ... on Error { code message } } }`;
    const asked = await Promise.all([api.query(ask, { id }), api.query(ask, { id })]);
    const [one, other] = asked.map((answer) => answer.data.investigateAlertGroup);
    expect(one).toMatchObject({ session: { status: 'PENDING', group: { id } } });
    expect(other.session.id).toBe(one.session.id);
    const reasons = await api.query('{ intakeDecisions(outcome: [INVESTIGATED]) { nodes { reason } } }');
    expect(reasons.data.intakeDecisions.nodes).toEqual([{ reason: 'Requested by api-client.' }]);
    expect((await api.query(ask, { id: 'x' })).data.investigateAlertGroup).toMatchObject({
      code: 'NOT_FOUND',
    });
    await sendDelivery(api.app.url, alertBody({ state: 'resolved', severity: 'info' }));
    expect((await api.query(ask, { id })).data.investigateAlertGroup).toMatchObject({ code: 'CONFLICT' });
  });

  it('are reported live to every subscriber', async () => {
    const document = 'subscription { alertGroupsChanged { group { groupKey state firingCount } } }';
    const leave = new AbortController();
    const response = await fetch(`${api.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: document }),
      signal: leave.signal,
    });
    const told = readEvents(response).next();
    let heard = false;
    void told.then(() => {
      heard = true;
    });
    let sent = 0;
    const sendAnother = async () => {
      await sendDelivery(api.app.url, alertBody({ fingerprint: `f${sent++}` }));
      return heard;
    };
    await expect.poll(sendAnother, { interval: 200, timeout: 30_000 }).toBe(true);
    const event = await told;
    expect(JSON.parse(event.value!.data)).toMatchObject({
      data: { alertGroupsChanged: { group: { groupKey: 'db', state: 'FIRING' } } },
    });
    leave.abort();
  });
});

describe('silences', () => {
  const CREATE = `mutation ($input: CreateSilenceInput!) { createSilence(input: $input) {
    __typename ... on CreateSilenceSuccess { silence { id matchers comment createdBy endedBy matchedCount } }
    ... on ValidationError { field message } } }`;
  const create = async (input: Record<string, unknown>) =>
    (
      await api.query(CREATE, {
        input: {
          matchers: ['host="db-03"'],
          comment: 'Maintenance',
          endsAt: new Date(Date.now() + 3_600_000).toISOString(),
          ...input,
        },
      })
    ).data.createSilence;

  it('keep alerts from being investigated until they end, when firing groups are decided on again', async () => {
    const { silence } = await create({});
    expect(silence).toMatchObject({
      matchers: ['host="db-03"'],
      comment: 'Maintenance',
      createdBy: 'api-client',
      endedBy: null,
    });
    expect((await sendDelivery(api.app.url, alertBody())).outcome).toBe('SILENCED');
    const listed = await api.query('{ silences { totalCount nodes { matchedCount } } }');
    expect(listed.data.silences).toEqual({ totalCount: 1, nodes: [{ matchedCount: 1 }] });
    const END = `mutation ($id: ID!) { endSilence(id: $id) { __typename ... on EndSilenceSuccess { silence { endedBy } } ... on Error { code } } }`;
    expect((await api.query(END, { id: silence.id })).data.endSilence).toEqual({
      __typename: 'EndSilenceSuccess',
      silence: { endedBy: 'api-client' },
    });
    expect((await api.query(END, { id: silence.id })).data.endSilence).toEqual({
      __typename: 'ConflictError',
      code: 'CONFLICT',
    });
    expect((await api.query(END, { id: '00000000-0000-7000-8000-000000000000' })).data.endSilence.code).toBe(
      'NOT_FOUND',
    );
    expect(
      (await api.query('{ silences { totalCount } ended: silences(includeEnded: true) { totalCount } }'))
        .data,
    ).toMatchObject({
      silences: { totalCount: 0 },
      ended: { totalCount: 1 },
    });
    expect((await sendDelivery(api.app.url, alertBody())).outcome).toMatch(/^(?:INVESTIGATED|DUPLICATE)$/); // DUPLICATE if the job was quicker
    expect((await api.pool.query('select 1 from alert_sessions')).rows).toHaveLength(1);
  });

  it.each([
    [{ matchers: [] }, 'matchers'],
    [{ matchers: Array(21).fill('a="b"') }, 'matchers'],
    [{ matchers: ['a="b"', 'nonsense'] }, 'matchers.1'],
    [{ matchers: ['a=~"("'] }, 'matchers.0'],
    [{ matchers: ['a!="b"'] }, 'matchers'],
    [{ matchers: ['a=~".*"'] }, 'matchers'],
    [{ comment: '  ' }, 'comment'],
    [{ comment: 'x'.repeat(1001) }, 'comment'],
    [{ endsAt: '2020-01-01T00:00:00Z' }, 'endsAt'],
    [{ startsAt: '2999-01-02T00:00:00Z', endsAt: '2999-01-01T00:00:00Z' }, 'endsAt'],
  ])('are refused if invalid: %j', async (input, field) => {
    expect(await create(input)).toMatchObject({ __typename: 'ValidationError', field });
  });
});

it('lists sources with their delivery counts', async () => {
  await sendDelivery(api.app.url, '{');
  const list = () =>
    api.query('{ alertSources { name type path verification lastReceivedAt received rejected } }');
  await expect.poll(async () => (await list()).data.alertSources[0].rejected).toBe(1);
  expect((await list()).data.alertSources[0]).toMatchObject({ lastReceivedAt: null, received: 0 });
  await sendDelivery(api.app.url, alertBody());
  expect((await list()).data.alertSources).toEqual([
    {
      name: 'prod',
      type: 'generic',
      path: '/webhooks/prod',
      verification: 'TOKEN',
      lastReceivedAt: expect.any(String),
      received: 1,
      rejected: 1,
    },
  ]);
  const refused = await api.query(
    '{ intakeDecisions(outcome: [REJECTED], source: ["prod"]) { nodes { count alert { id } group { id } } } }',
  );
  expect(refused.data.intakeDecisions.nodes).toEqual([{ count: 1, alert: null, group: null }]);
});
