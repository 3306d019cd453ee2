import { resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { PLANTED } from './secrets.ts';

const SERVER = resolve(import.meta.dirname, '../helpers/mcp/leaky-server.ts');
const stdio = (...more: string[]) => ({
  transport: { type: 'stdio', command: process.execPath, args: [SERVER, ...more] },
});

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp({
    mcpServers: { leaky: stdio(), broken: stdio('broken') },
    agents: { TestAgent: { mcp_servers: ['leaky', 'broken'] } },
  });
  api = apiClient(app.url);
});
afterAll(() => app.stop());

test('secrets of an alert, of tool results and of failures reach no table, no event and no prompt', async () => {
  app.llm.script(
    [toolCall('leaky.get_secret'), toolCall('leaky.fail'), toolCall('leaky.crash')],
    { text: 'Understood.' },
    { text: 'In short: understood.' },
  );
  const id = await api.submit(`DB down: postgres://app:${PLANTED.alert}@db/app, pod visible-pod`);
  const events = api.subscribe<unknown>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
       ... on SessionStatusChanged { session { status alertData } }
       ... on TimelineEventCreated { timelineEvent { content metadata } }
       ... on TimelineEventCompleted { timelineEvent { content metadata } }
       ... on StreamChunk { delta } } }`,
    { id },
  );
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });

  const received: unknown[] = [];
  for await (const event of events) {
    received.push(event);
    if (JSON.stringify(event).includes('COMPLETED') && JSON.stringify(event).includes('alertData')) break;
  }
  const places: Record<string, string> = {
    ...(await tables(app.database.url)),
    events: JSON.stringify(received),
    prompts: JSON.stringify(app.llm.requests),
  };
  for (const [place, content] of Object.entries(places)) {
    for (const [planted, secret] of Object.entries(PLANTED)) {
      expect(content.includes(secret), `${planted} is in ${place}`).toBe(false);
    }
  }
  // The search itself finds what is there, and masking left the rest.
  expect(places['public.alert_sessions']).toContain('visible-pod');
  expect(places['public.mcp_interactions']).toContain('visible-name');
  expect(places['public.messages']).toContain('[MASKED_SECRET_DATA]');
  expect(places.prompts).toContain('DB_PASSWORD=[MASKED_PASSWORD]');
  expect(places.prompts).toContain('login failed for postgres://app:[MASKED_PASSWORD]@db/app');
  app.llm.assertNoUnusedScripts();
});

/** Every column of every row as text, by table. */
async function tables(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const contents: Record<string, string> = {};
    for (const { name } of rows) {
      const found = await client.query<{ content: string }>(
        `select coalesce(string_agg(row::text, E'\\n'), '') as content from ${name} as row`,
      );
      contents[name] = found.rows[0]?.content ?? '';
    }
    return contents;
  } finally {
    await client.end();
  }
}
