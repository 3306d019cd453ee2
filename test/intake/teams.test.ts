import { describe, expect, it } from 'vitest';
import { endSession } from '../helpers/deliveries.ts';
import { teamIntake } from '../helpers/team-intake.ts';

const api = teamIntake();
const { ask, submit, deliver, silenceBy } = api;

/** Returns the teams of the groups and of their sessions, oldest first. */
async function stored(): Promise<{ group: string | null; session: string | null }[]> {
  const { rows } = await api.pool.query(`select g.team as "group", s.team as session from alert_groups g
    left join alert_sessions s on s.id = g.session_id order by g.opened_at, g.id`);
  return rows;
}

describe('the team of an alert', () => {
  it('comes from its token, else its rule, else its chain, else there is none', async () => {
    await deliver('alpha', { fingerprint: '1', group: '1', labels: { of: 'beta' } });
    await deliver('null', { fingerprint: '2', group: '2', labels: { of: 'beta' } });
    await deliver('null', { fingerprint: '3', group: '3' });
    expect(await stored()).toEqual([
      { group: 'alpha', session: 'alpha' },
      { group: 'beta', session: 'beta' },
      { group: null, session: null },
    ]);
    expect((await submit('ada', { alertType: 'betas' })).session.team).toBe('beta');
    expect((await submit('ada', { alertType: 'betas', team: 'alpha' })).session.team).toBe('alpha');
    expect((await submit('ada', { labels: { of: 'alpha' } })).session.team).toBe('alpha');
    expect((await submit('ada', { labels: { of: 'alpha' }, team: 'beta' })).session.team).toBe('beta');
    expect((await submit('ada', {})).session.team).toBeNull();
  });

  it('may be set by its submitter to one of their own teams', async () => {
    expect((await submit('zoe', { team: 'beta' })).session.team).toBe('beta');
    const refused = { __typename: 'ValidationError', field: 'team' };
    for (const [who, team] of [
      ['rex', 'beta'],
      ['rex', 'nobodys'],
      ['tom', 'alpha'],
      ['null', 'alpha'],
      ['alpha', 'beta'],
      ['ada', 'nobodys'],
    ])
      expect(await submit(who!, { team })).toMatchObject(refused);
    expect(await submit('rex', { team: 'beta' })).toEqual({
      ...(await submit('rex', { team: 'nobodys' })),
    });
  });
});

describe('alerts of different teams', () => {
  it('are never in one group, even if their source groups them', async () => {
    for (const [fingerprint, of] of [
      ['a', 'alpha'],
      ['b', 'beta'],
      ['c', 'none'],
      ['d', 'alpha'],
    ])
      await deliver('null', { fingerprint, group: 'same', labels: { of } });
    expect(await stored()).toEqual([
      { group: 'alpha', session: 'alpha' },
      { group: 'beta', session: 'beta' },
      { group: null, session: null },
    ]);
  });

  it('differ from those of another token, even with the same keys', async () => {
    const one = await deliver('alpha', {});
    const other = await deliver('beta', {});
    expect([one.outcome, other.outcome]).toEqual(['INVESTIGATED', 'INVESTIGATED']);
    expect((await deliver('beta', { state: 'resolved' })).outcome).toBe('RESOLVED');
    const { rows } = await api.pool.query('select team, state from alert_groups order by team');
    expect(rows).toEqual([
      { team: 'alpha', state: 'FIRING' },
      { team: 'beta', state: 'RESOLVED' },
    ]);
    expect(await submit('rex', { dedupKey: 'k', team: 'alpha' })).toMatchObject({
      __typename: 'SubmitAlertSuccess',
    });
    expect(await submit('bea', { dedupKey: 'k', team: 'beta' })).toMatchObject({
      __typename: 'SubmitAlertSuccess',
    });
    expect(await submit('bea', { dedupKey: 'k' })).toMatchObject({ __typename: 'SubmitAlertSuccess' });
  });

  it('form different storms', async () => {
    for (const n of [1, 2, 3, 4])
      for (const of of ['alpha', 'beta', 'none'])
        await deliver('null', {
          fingerprint: `${of} ${n}`,
          group: `${of} ${n}`,
          severity: 'error',
          labels: { of },
        });
    const { rows } = await api.pool.query(
      `select s.team, count(distinct s.id)::int as storms, array_agg(distinct g.team) as groups
       from alert_sessions s join alert_groups g on g.session_id = s.id where s.group_id is null group by s.team order by 1`,
    );
    expect(rows).toEqual([
      { team: 'alpha', storms: 1, groups: ['alpha'] },
      { team: 'beta', storms: 1, groups: ['beta'] },
      { team: null, storms: 1, groups: [null] },
    ]);
  });
});

describe('a silence', () => {
  it.each([
    ['ada', null, ['alpha', 'beta', 'none']],
    ['rex', ['alpha'], ['alpha', 'none']],
    ['zoe', ['alpha', 'beta'], ['alpha', 'beta', 'none']],
    ['tom', [], ['none']],
  ])('of %s covers what they see', async (who, teams, covered) => {
    expect((await silenceBy(who)).teams).toEqual(teams);
    const outcomes: Record<string, string | undefined> = {};
    for (const of of ['alpha', 'beta', 'none'])
      outcomes[of] = (
        await deliver('null', { fingerprint: of, group: of, labels: { of, host: 'db-03' } })
      ).outcome;
    const silenced = Object.keys(outcomes).filter((of) => outcomes[of] === 'SILENCED');
    expect(silenced).toEqual(covered);
  });

  it('is seen and ended only by members of a team of its author', async () => {
    const { id } = await silenceBy('rex');
    const seen = async (who: string) =>
      (await ask(who, '{ silences { totalCount } }')).silences.totalCount as number;
    expect([await seen('zoe'), await seen('ada'), await seen('bea'), await seen('tom')]).toEqual([
      1, 1, 0, 0,
    ]);
    const end = async (who: string, of = id) =>
      (await ask(who, `mutation { endSilence(id: "${of}") { __typename } }`)).endSilence.__typename as string;
    expect(await end('bea')).toBe('NotFoundError');
    expect(await end('zoe')).toBe('EndSilenceSuccess');
  });
});

it('answers a submission for another team with its id and status only', async () => {
  const input = { data: 'x', alertType: 'betas', idempotencyKey: 'once' };
  const again = (fields: string) =>
    ask(
      'rex',
      `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { ... on SubmitAlertSuccess { session { ${fields} } } } }`,
      { input },
    );
  const { submitAlert } = await again('id status queuePosition');
  const { rows } = await api.pool.query('select id from alert_sessions');
  await endSession(api.pool, rows[0].id);
  expect(await again('id status queuePosition')).toEqual({
    submitAlert: { session: { ...submitAlert.session, status: 'COMPLETED', queuePosition: null } },
  });
  for (const field of [
    'finalAnalysis',
    'timeline { content }',
    'team',
    'group { id }',
    'chat { id }',
    'alertData',
  ])
    expect(JSON.stringify(await again(field))).toContain('FORBIDDEN');
  expect((await ask('rex', `{ session(id: "${submitAlert.session.id}") { id } }`)).session).toBeNull();
});

it('shows teams by their names, and offers tokens no others', async () => {
  const create = async (team: string, scopes = ['READ']) =>
    (
      await ask(
        'ada',
        `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { __typename ... on ValidationError { field message } } }`,
        {
          input: { name: 't', scopes, team },
        },
      )
    ).createApiToken;
  expect(await create('gamma')).toEqual({
    __typename: 'ValidationError',
    field: 'team',
    message: 'Unknown team. Configured teams: alpha, beta.',
  });
  expect(await create('alpha', ['ADMIN', 'READ'])).toMatchObject({
    __typename: 'ValidationError',
    field: 'team',
  });
  expect(await create('*')).toEqual({ __typename: 'CreateApiTokenSuccess' });
});
