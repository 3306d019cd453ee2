import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, NO_AUTH, openApi } from '../helpers/http-api.ts';

const NOBODY = { users: [], groups: [] };
const SAVE = `mutation ($page: String! = "sessions", $name: String! = "Mine", $parameters: String! = "q=a", $team: String) {
  saveView(input: { page: $page, name: $name, parameters: $parameters, team: $team }) {
    __typename ... on SaveViewSuccess { savedView { id name parameters team owner } } ... on Error { code message }
    ... on ValidationError { field } } }`;
const LIST = '{ savedViews(page: "sessions") { id name parameters team owner } }';
const DELETE = `mutation ($id: ID!) { deleteView(id: $id) { __typename ... on Error { code message } } }`;
const NODE = `query ($id: ID!) { node(id: $id) { ... on SavedView { name } } }`;

describe('saved views', { shuffle: false }, () => {
  let api: Api;
  beforeAll(async () => {
    api = await openApi(
      {},
      {
        auth: { ...NO_AUTH, mode: 'proxy' },
        access: {
          roles: {
            VIEWER: { ...NOBODY, users: ['*'] },
            RESPONDER: { ...NOBODY, users: ['rex', 'rosa', 'bob'] },
            ADMIN: NOBODY,
          },
          teams: {
            alpha: { users: ['rex', 'rosa', 'vic'], groups: [] },
            beta: { users: ['bob'], groups: [] },
          },
          approvers: [],
        },
      },
    );
  });
  afterAll(() => api.close());

  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  const ask = async (user: string, query: string, variables: object = {}): Promise<any> =>
    (
      await (
        await fetch(`${api.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-user': user },
          body: JSON.stringify({ query, variables }),
        })
      ).json()
    ).data;
  const save = async (user: string, variables: object) => (await ask(user, SAVE, variables)).saveView;
  const names = async (user: string): Promise<string[]> =>
    (await ask(user, LIST)).savedViews.map(({ name }: { name: string }) => name);

  it('shows a private view to its owner alone', async () => {
    const { savedView } = await save('rex', {});
    expect(savedView).toMatchObject({ name: 'Mine', parameters: 'q=a', team: null, owner: 'rex' });
    expect(await names('rex')).toEqual(['Mine']);
    expect(await names('rosa')).toEqual([]);
    expect((await ask('rosa', NODE, savedView)).node).toBeNull();
    expect((await ask('rex', NODE, savedView)).node).toEqual({ name: 'Mine' });
    const refused = (await ask('rosa', DELETE, savedView)).deleteView;
    const unknown = (await ask('rosa', DELETE, { id: '01a22194-ee94-70b1-aa22-90235fe685b6' })).deleteView;
    expect(refused).toEqual(unknown);
    expect(refused.code).toBe('NOT_FOUND');
    expect(await names('rex')).toEqual(['Mine']);
  });

  it('shares the view of a team, which responders of the team may delete', async () => {
    const { savedView } = await save('rex', { name: 'Ours', team: 'alpha' });
    expect(await names('rosa')).toEqual(['Ours']);
    expect(await names('vic')).toEqual(['Ours']);
    expect(await names('bob')).toEqual([]);
    expect((await ask('bob', DELETE, savedView)).deleteView.code).toBe('NOT_FOUND');
    expect((await ask('vic', DELETE, savedView)).deleteView.code).toBe('FORBIDDEN');
    expect((await save('vic', { name: 'Other', team: 'alpha' })).code).toBe('FORBIDDEN');
    expect(await save('bob', { team: 'alpha' })).toMatchObject({ code: 'VALIDATION', field: 'team' });
    expect((await ask('rosa', DELETE, savedView)).deleteView.__typename).toBe('DeleteViewSuccess');
    expect(await names('rex')).toEqual(['Mine']);
  });

  it('records who saved and who deleted a view, and no refused change', async () => {
    const recorded = async () => {
      const { rows } = await api.pool.query(
        `select actor, action, detail from audit_events where target_type = 'SavedView' and detail->>'name' = 'Kept'
         order by at, id`,
      );
      return rows;
    };
    const { savedView } = await save('rex', { name: 'Kept', team: 'alpha' });
    await save('rosa', { name: 'Kept', team: 'alpha', parameters: 'q=b' });
    await save('vic', { name: 'Kept', team: 'alpha' });
    await ask('vic', DELETE, savedView);
    await ask('bob', DELETE, savedView);
    await ask('rosa', DELETE, savedView);
    await ask('rosa', DELETE, savedView);
    const detail = { page: 'sessions', name: 'Kept', team: 'alpha' };
    expect(await recorded()).toEqual([
      { actor: 'rex', action: 'view.save', detail },
      { actor: 'rosa', action: 'view.save', detail },
      { actor: 'rosa', action: 'view.delete', detail },
    ]);
  });

  it('replaces a view of the same name, and bounds lengths and numbers', async () => {
    await save('bob', { parameters: 'q=1' });
    await save('bob', { parameters: 'q=2' });
    expect((await ask('bob', LIST)).savedViews).toMatchObject([{ parameters: 'q=2' }]);
    expect(await save('bob', { name: ' ' })).toMatchObject({ code: 'VALIDATION', field: 'name' });
    expect(await save('bob', { name: 'x'.repeat(61) })).toMatchObject({ field: 'name' });
    expect(await save('bob', { parameters: 'x'.repeat(2001) })).toMatchObject({ field: 'parameters' });
    expect(await save('bob', { page: 'A b' })).toMatchObject({ field: 'page' });
    await api.pool.query(
      `insert into saved_views (id, page, name, parameters, owner)
       select gen_random_uuid(), 'alerts', 'view ' || n, '', 'bob' from generate_series(1, 99) n`,
    );
    expect(await save('bob', { name: 'One too many' })).toMatchObject({ code: 'VALIDATION', field: null });
    expect((await save('bob', { parameters: 'q=3' })).__typename).toBe('SaveViewSuccess');
  });
});
