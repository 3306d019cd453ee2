import { describe, expect, it } from 'vitest';
import { alertBody, endSession, passTime, sendDelivery } from '../../test/helpers/deliveries.ts';
import { intakeApi } from '../../test/helpers/intake-api.ts';

const api = intakeApi();

const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const CREATE = `mutation ($input: CreateSilenceInput!) { createSilence(input: $input) { __typename
  ... on CreateSilenceSuccess { silence { id } } ... on SilenceExistsError { code message silence { id comment } } } }`;
const create = async (matchers: string[], more: Record<string, unknown> = {}) => {
  const input = { matchers, comment: 'Moving disks', endsAt: later(2), ...more };
  return (await api.query(CREATE, { input })).data.createSilence;
};
const fire = (host: string, more: Record<string, unknown> = {}) =>
  sendDelivery(api.app.url, alertBody({ fingerprint: host, group: host, labels: { host }, ...more }));
const groups = async (fields: string, args = '') =>
  (await api.query(`{ alertGroups(first: 10 ${args}) { totalCount nodes { title ${fields} } } }`)).data
    .alertGroups;

it('a group names the silence that covers all its firing alerts, as soon as there is one', async () => {
  await fire('db-03');
  await fire('db-04', { group: 'db-03' });
  const silence = async () => (await groups('silence { comment createdBy }')).nodes[0].silence;
  expect(await silence()).toBeNull();
  await create(['host="db-03"']);
  expect(await silence()).toBeNull(); // db-04 still fires
  await create(['host=~"db-.*"', 'source="prod"'], { comment: 'All disks' });
  expect(await silence()).toMatchObject({ comment: 'All disks' });
  await fire('db-03', { state: 'resolved' });
  await fire('db-04', { group: 'db-03', state: 'resolved' });
  expect(await silence()).toBeNull();
});

describe('an equal silence', () => {
  it('is refused with the one that holds, in any order and spelling of its matchers', async () => {
    const first = await create(['host="db-03"', 'zone=eu']);
    expect(await create(['zone="eu"', ' host = "db-03"'], { endsAt: later(9) })).toMatchObject({
      __typename: 'SilenceExistsError',
      code: 'SILENCE_EXISTS',
      message: expect.stringMatching(
        /already silenced this until .*: Moving disks To silence it longer, start/,
      ),
      silence: { id: first.silence.id, comment: 'Moving disks' },
    });
    expect((await create(['host="db-03"'])).__typename).toBe('CreateSilenceSuccess');
  });

  it('is taken after the end of the first, which it continues', async () => {
    const endsAt = later(2);
    await create(['host="db-03"'], { endsAt });
    const next = await create(['host="db-03"'], { startsAt: endsAt, endsAt: later(4) });
    expect(next.__typename).toBe('CreateSilenceSuccess');
  });

  it('is no equal one if it covers the alerts of other teams', async () => {
    await create(['host="db-03"']);
    await api.pool.query(`update silences set teams = '{shop}'`);
    expect((await create(['host="db-03"'])).__typename).toBe('CreateSilenceSuccess');
  });

  it('is refused for one of two that come at the same moment', async () => {
    const both = await Promise.all([create(['host="db-03"']), create(['host="db-03"'])]);
    expect(both.map(({ __typename: type }) => type).sort()).toEqual([
      'CreateSilenceSuccess',
      'SilenceExistsError',
    ]);
  });
});

it('a silence that is ended before it begins has no length', async () => {
  const { silence } = await create(['host="db-03"'], { startsAt: later(1) });
  const END =
    'mutation ($id: ID!) { endSilence(id: $id) { ... on EndSilenceSuccess { silence { startsAt endsAt } } } }';
  const ended = (await api.query(END, { id: silence.id })).data.endSilence.silence;
  expect(ended.startsAt).toBe(ended.endsAt);
});

describe('a preview', () => {
  const preview = (matchers: string[]) =>
    api.query(
      `query ($matchers: [String!]!) { silencePreview(matchers: $matchers) {
        alertCount groupCount silencedGroupCount isComplete groups { title severity } } }`,
      { matchers },
    );
  it('shows the firing alerts that a silence would cover, worst first, and stores nothing', async () => {
    await fire('db-03', { title: 'Slow', severity: 'warning' });
    await fire('db-04', { title: 'Full' });
    await fire('web-1', { title: 'Web', group: 'db-04' });
    await fire('db-05', { state: 'resolved' });
    const { data } = await preview(['host=~"db-.*"', 'source="prod"']);
    expect(data.silencePreview).toEqual({
      ...{ alertCount: 2, groupCount: 2, silencedGroupCount: 1, isComplete: true },
      groups: [
        { title: 'Full: host db-04 and 1 more', severity: 'CRITICAL' },
        { title: 'Slow: host db-03', severity: 'WARNING' },
      ],
    });
    expect((await preview(['host="x"'])).data.silencePreview).toMatchObject({ alertCount: 0, groups: [] });
    expect((await api.pool.query('select 1 from silences')).rows).toEqual([]);
  });

  it.each([[['host=~"("']], [[]], [['a=""']]])('refuses %j as a silence would', async (matchers) => {
    const { errors } = await preview(matchers);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

it('groups of a key that began and ended again and again fold into the last one, with their number', async () => {
  for (const _ of [1, 2, 3]) {
    const { session } = await fire('db-03');
    if (session) await endSession(api.pool, session);
    await passTime(api.pool, 60);
    await fire('db-03', { state: 'resolved' });
    await passTime(api.pool, 60);
  }
  await fire('db-04');
  expect(await groups('recentEpisodes', ', foldFlaps: true')).toMatchObject({
    totalCount: 2,
    nodes: [{ recentEpisodes: 1 }, { recentEpisodes: 3 }],
  });
  expect((await groups('id')).totalCount).toBe(4);
  await passTime(api.pool, 1_800);
  await fire('db-03'); // too late to continue the last episode
  expect((await groups('id', ', foldFlaps: true')).totalCount).toBe(3);
});

it('a group of another team does not continue one of the same key', async () => {
  await fire('db-03');
  await fire('db-03', { state: 'resolved' });
  await fire('db-03', { fingerprint: 'of-shop', severity: 'info' });
  const found = await groups('team', ', foldFlaps: true');
  expect(found.nodes.map(({ team }: { team: string | null }) => team)).toEqual(['shop', null]);
});
