import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, openApi } from '../helpers/http-api.ts';

/** Of GraphQL over HTTP, by those who wrote it down. */
let api: Api;
beforeAll(async () => {
  api = await openApi({}, { api: { introspection: true, graphiql: false } }); // some audits ask for a type
});
afterAll(() => api.close());

describe('GraphQL over HTTP', () => {
  test.each(serverAudits({ url: () => `${api.url}/graphql` }))('$id $name', async ({ fn }) => {
    const result = await fn();
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
  });
});
