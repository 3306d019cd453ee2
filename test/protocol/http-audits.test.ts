import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, openApi } from '../helpers/http-api.ts';

/** Runs the GraphQL-over-HTTP audits that the specification's authors publish. */
let api: Api;
beforeAll(async () => {
  api = await openApi({}, { api: { introspection: true, graphiql: false } }); // some audits query a type
});
afterAll(() => api.close());

describe('GraphQL over HTTP', () => {
  test.each(serverAudits({ url: () => `${api.url}/graphql` }))('$id $name', async ({ fn }) => {
    const result = await fn();
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
  });
});
