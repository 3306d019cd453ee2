import { createClient } from 'graphql-ws';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openApi } from '../../test/helpers/http-api.ts';

const NEARLY: [what: string, query: string, variables?: Record<string, unknown>][] = [
  ['field', '{ sesions { totalCount } }'],
  ['argument', '{ session(idd: "x") { id } }'],
  ['type', 'query ($filter: SessionFiltr) { sessions(filter: $filter) { totalCount } }'],
  ['enum value', '{ sessions(filter: { status: PENDNG }) { totalCount } }'],
  ['input field', '{ sessions(filter: { statu: PENDING }) { totalCount } }'],
  [
    'enum value of a variable',
    'query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount } }',
    { filter: { status: 'PENDNG' } },
  ],
  [
    'input field of a variable',
    'query ($filter: SessionFilter) { sessions(filter: $filter) { totalCount } }',
    { filter: { statu: 'PENDING' } },
  ],
];

it.each([true, false])('suggests similar names: introspection %s', async (introspection) => {
  const api = await openApi({}, { api: { introspection, graphiql: false } });
  try {
    for (const [what, query, variables] of NEARLY) {
      const { errors } = await api.query(query, variables);
      const client = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
      const overSocket = await client
        .iterate({ query, variables })
        .next()
        .then(
          ({ value }) => value.errors as object[],
          (refused: object[]) => refused,
        );
      await client.dispose();
      for (const said of [JSON.stringify(errors), JSON.stringify(overSocket)]) {
        expect([what, said.includes('Did you mean'), said]).toEqual([what, introspection, said]);
      }
    }
  } finally {
    await api.close();
  }
});
