import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processesByVariable } from '../../src/machine/proc.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type MisbehavingHttp, startMisbehavingHttp } from '../helpers/mcp/misbehaving-http.ts';
import { type Match, toolCall } from '../helpers/scripted-llm/index.ts';

/** Tests a whole investigation with misbehaving servers, and one without them that runs at the same time. */
const SERVER = resolve(import.meta.dirname, '../helpers/mcp/misbehaving-server.ts');
const RUN = randomUUID();
const STDIO = {
  hangs: 'hang at call',
  exits: 'exit at call',
  huge: 'result of 100 MiB',
  floods: 'notifications without end',
  forks: 'a child in a session of its own',
  stubborn: 'SIGTERM ignored',
  silent: 'hang at initialize',
};

/** Matches the model requests of the agent that investigates this alert. */
const about: (alert: string) => Match = (alert) => (request) =>
  request.tools.length > 0 && JSON.stringify(request.messages).includes(alert);

let bomb: MisbehavingHttp;
let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  bomb = await startMisbehavingHttp('a gzip bomb');
  const stdio = Object.entries(STDIO).map(([id, behaviour]) => {
    const env = { MISBEHAVING_RUN: RUN };
    return [id, { transport: { type: 'stdio', command: process.execPath, args: [SERVER, behaviour], env } }];
  });
  app = await startTestApp({
    defaults: { timeouts: { mcp_init: '20s', tool_call: '8s' } },
    system: { mcp_health: { interval: '1h' } },
    mcpServers: {
      ...Object.fromEntries(stdio),
      bomb: { transport: { type: 'http', url: `${bomb.url}/mcp` } },
    },
    agents: { TestAgent: { mcp_servers: ['tools', ...Object.keys(STDIO), 'bomb'] } },
  });
  api = apiClient(app.url);
});
afterAll(async () => {
  await app?.stop();
  await bomb?.close();
  expect((await processesByVariable('MISBEHAVING_RUN')).get(RUN)).toBeUndefined();
});

test('the investigation and the next one complete, and no process is left', {
  timeout: 120_000,
}, async () => {
  const well = ['tools', 'forks', 'stubborn'];
  const bad = ['hangs', 'exits', 'huge', 'floods', 'bomb', 'silent'];
  app.llm.route(
    about('among many'),
    [
      toolCall('tools.echo', { text: 'here' }),
      ...[...well.slice(1), ...bad].map((id) => toolCall(`${id}.go`)),
    ],
    { text: 'Found it among many.' },
  );
  app.llm.route(about('beside it'), [toolCall('tools.echo', { text: 'there' })], {
    text: 'Found it beside.',
  });
  app.llm.otherwise({ text: 'In short: found.' });
  const [many, beside] = await Promise.all([
    api.submit('among many'),
    api.submit('beside it', { mcp: { servers: [{ name: 'tools' }] } }),
  ]);
  const ended = (id: string) => api.waitFor(id, ({ status }) => ENDED.has(status));
  const [first, second] = await Promise.all([ended(many), ended(beside)]);
  expect(first).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Found it among many.' });
  expect(second).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Found it beside.' });

  const { session } = await api.query<{ session: { timeline: { status: string; content: string }[] } }>(
    'query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { status content } } }',
    { id: many },
  );
  expect(session.timeline.map(({ status }) => status)).toEqual([
    ...well.map(() => 'COMPLETED'),
    ...bad.map(() => 'FAILED'),
  ]);
  expect(session.timeline.at(-1)?.content).toContain('MCP server "silent" is unavailable');
});
