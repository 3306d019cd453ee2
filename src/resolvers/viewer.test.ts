import { afterEach, expect, it } from 'vitest';
import { type Api, NO_AUTH, openApi } from '../../test/helpers/http-api.ts';
import { graphql, JSON_HEADERS, sendUnchanged } from '../../test/helpers/raw-http.ts';
import type { AuthConfig } from '../config/types.ts';

let api: Api;
afterEach(() => api.close());

async function viewerBehind(auth: Partial<AuthConfig>, headers: Record<string, string>): Promise<unknown> {
  api = await openApi({}, { auth: { ...NO_AUTH, ...auth } });
  const request = graphql('{ viewer { name email role groups teams via } }');
  const { body } = await sendUnchanged(api.port, { ...request, headers: { ...JSON_HEADERS, ...headers } });
  return JSON.parse(body).data.viewer;
}

it('returns the user that the proxy names, with email, groups and role', async () => {
  const headers = {
    'x-forwarded-user': 'ana',
    'x-forwarded-email': 'ana@example.com',
    'x-forwarded-groups': 'sre,oncall',
  };
  expect(await viewerBehind({ mode: 'proxy' }, headers)).toEqual({
    name: 'ana',
    email: 'ana@example.com',
    role: 'ADMIN',
    groups: ['sre', 'oncall'],
    teams: null,
    via: 'PROXY',
  });
});

it('has no email address if the proxy gives none', async () => {
  const headers = { 'x-remote-user': 'system:serviceaccount:ops:bot' };
  expect(await viewerBehind({ mode: 'proxy', identityHeaders: 'x-remote' }, headers)).toMatchObject({
    name: 'system:serviceaccount:ops:bot',
    email: null,
  });
});

it('ignores identity headers if there is no sign-in', async () => {
  expect(await viewerBehind({}, {})).toMatchObject({
    name: 'api-client',
    email: null,
    groups: [],
    role: 'ADMIN',
    via: 'NONE',
  });
  await api.close();
  expect(await viewerBehind({}, { 'x-forwarded-user': 'ana' })).toMatchObject({ name: 'ana', via: 'NONE' });
});
