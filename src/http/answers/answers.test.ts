import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, globalId, insertRow, insertSession, openApi } from '../../../test/helpers/http-api.ts';

const MIB = 1024 * 1024;
const TOO_LARGE = 'ANSWER_TOO_LARGE';

let api: Api;
let large: string;
beforeAll(async () => {
  api = await openApi();
  for (let n = 0; n < 20; n += 1) large = await insertSession(api.pool, { alert_data: 'x'.repeat(MIB) });
});
afterAll(() => api.close());

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const codes = (errors: { extensions: Record<string, unknown> }[] | undefined) =>
  errors?.map(({ extensions }) => extensions.code);

const REFUSED: [string, string][] = [
  [
    'a large field by many names',
    `query ($id: ID!) { session(id: $id) { ${many(99, (n) => `a${n}: alertData`)} } }`,
  ],
  ['the large field of a whole page', '{ sessions(first: 100) { nodes { alertData } } }'],
  [
    'many objects that are read together',
    `query ($id: ID!) { ${many(99, (n) => `a${n}: session(id: $id) { alertData }`)} }`,
  ],
];

describe('an answer', () => {
  it.each(REFUSED)('of %s is refused while it is made', async (_what, query) => {
    const { status, data, errors } = await api.query(query, { id: large });
    expect([status, data ?? null, codes(errors)]).toEqual([400, null, [TOO_LARGE]]);
    expect(errors?.[0]?.message).toMatch(/more than 10 MiB. Ask for smaller pages/);
  });

  it('is refused over WebSocket too, and the socket keeps working', async () => {
    const client = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
    for (const [, query] of [...REFUSED, ['', '{ alertTypes { name } }'] as const]) {
      const { value } = await client.iterate({ query, variables: { id: large } }).next();
      expect(codes(value.errors as never) ?? []).toEqual(query.includes('alertTypes') ? [] : [TOO_LARGE]);
    }
    await client.dispose();
  });

  it('up to the limit is returned whole, several at once in turn', async () => {
    const query = `query ($id: ID!) { session(id: $id) { ${many(8, (n) => `a${n}: alertData`)} } }`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.query<{ session: Record<string, string> }>(query, { id: large })),
    );
    for (const { data, errors } of answers) {
      expect(errors).toBeUndefined();
      expect(Object.values(data.session).every((text) => text.length === MIB)).toBe(true);
    }
  });

  it('is counted as it is written: an escaped character is six bytes', async () => {
    const id = await insertSession(api.pool, { alert_data: '\u0001'.repeat(MIB) });
    const query = (count: number) =>
      `query ($id: ID!) { session(id: $id) { ${many(count, (n) => `a${n}: alertData`)} } }`;
    expect((await api.query(query(1), { id })).errors).toBeUndefined();
    expect(codes((await api.query(query(2), { id })).errors)).toEqual([TOO_LARGE]);
  });

  it('of very many small fields is counted too', async () => {
    const stageId = await insertRow(api.pool, 'stages', {
      session_id: large,
      name: 'a',
      index: 1,
      type: 'CHAT',
    });
    await api.pool.query(
      `insert into timeline_events (id, session_id, stage_id, sequence_number, type, status, content)
       select gen_random_uuid(), $1, $2, n, 'LLM_RESPONSE', 'COMPLETED', '' from generate_series(1, 20000) n`,
      [large, stageId],
    );
    const query = `query ($id: ID!) { session(id: $id) { timeline { ${many(60, (n) => `a${n}: type`)} } } }`;
    expect(codes((await api.query(query, { id: large })).errors)).toEqual([TOO_LARGE]);
  });

  it('has no field beyond the limit of one answer', async () => {
    const result = { text: '\u0001'.repeat(1_500_000) };
    const stageId = await insertRow(api.pool, 'stages', {
      session_id: large,
      name: 'b',
      index: 2,
      type: 'CHAT',
    });
    const executionId = await insertRow(api.pool, 'agent_executions', {
      session_id: large,
      stage_id: stageId,
      agent_name: 'a',
      agent_index: 1,
      iteration_strategy: 'REACT',
    });
    const id = await insertRow(api.pool, 'mcp_interactions', {
      session_id: large,
      stage_id: stageId,
      execution_id: executionId,
      type: 'TOOL_CALL',
      server_name: 's',
      tool_name: 't',
      result,
      duration_ms: 1,
    });
    const { data, errors } = await api.query(
      'query ($id: ID!) { mcpInteraction(id: $id) { toolName result } }',
      {
        id: globalId('McpInteraction', id),
      },
    );
    expect([data, codes(errors)]).toEqual([{ mcpInteraction: { toolName: 't', result: null } }, [TOO_LARGE]]);
  });
});
