import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { CHANGING_TOOLS, changingServer, READING_TOOLS } from '../helpers/mcp/changing-tools.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/**
 * Tests which agents are offered tools that change something and may call them, on servers that annotate all,
 * some or no tools.
 */
let folder: string;
let toolLog: string;
let app: TestApp | null = null;
let log = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-changing-'));
  toolLog = join(folder, 'calls');
});
afterEach(async () => {
  await app?.stop();
  app = null;
});
afterAll(() => rm(folder, { recursive: true }));

const ALARM =
  'Disk almost full on node worker-3 (node=worker-3, mode=all): cordon and drain the node, cleanup, prune and wipe ' +
  'the disk, silence and resolve the alert, failover, page someone, restart, rollback, kill the process, mute it all';
const SERVERS = ['all', 'half', 'nothing'] as const;

/**
 * Starts an application with one stage for each server. `rules` are settings of the model and the servers.
 */
async function start(
  options: { rules?: Record<string, unknown>; llmAddress?: string } = {},
): Promise<TestApp> {
  await writeFile(toolLog, '');
  log = '';
  app = await startTestApp({
    ...(options.llmAddress ? { llmAddress: options.llmAddress, defaults: { llm_provider: 'offline' } } : {}),
    mcpServers: Object.fromEntries(
      SERVERS.map((declares) => [declares, changingServer(declares, toolLog, options.rules)]),
    ),
    agents: Object.fromEntries(SERVERS.map((name) => [`Agent-${name}`, { mcp_servers: [name] }])),
    stages: SERVERS.map((name) => ({ name, agents: [{ name: `Agent-${name}` }] })),
    logLevel: 'info',
    logTo: new Writable({
      write(chunk: Buffer, _encoding, done) {
        log += chunk;
        done();
      },
    }),
  });
  return app;
}

test('an agent is offered only the tools of its list', async () => {
  app = await startTestApp({
    agents: { TestAgent: { mcp_servers: ['tools'], tools: ['tools.e*', 'other.*'] } },
  });
  app.llm.script({ text: 'Fine.' }, { text: 'Short.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const offered = app.llm.requests[0]!.tools.map(({ name }) => name).filter(
    (name) => !name.startsWith('tarsy.'),
  );
  expect(offered).toEqual(['tools.echo']);
});

const investigate = async ({ url }: TestApp) => {
  const api = apiClient(url);
  const id = await api.submit(ALARM);
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({
    status: 'COMPLETED',
  });
  return id;
};
const called = async () => (await readFile(toolLog, 'utf8')).split('\n').filter((line) => line !== '');
/** Returns the names of the tools offered in each stage, without the server's name. */
const offered = ({ llm }: TestApp) =>
  Object.fromEntries(
    SERVERS.map((server) => [
      server,
      llm.requests
        .find(({ messages }) => messages[0]?.content.includes(`Agent-${server}.`))
        ?.tools.map(({ name }) => name.replace(`${server}.`, ''))
        .filter((name) => !name.startsWith('tarsy.')),
    ]),
  );

const EVERYTHING = [...READING_TOOLS, ...CHANGING_TOOLS];
const DENY = { tools: CHANGING_TOOLS, action: 'deny' };
const ALLOWED = EVERYTHING.filter((name) => name === 'cordon' || !(name.includes('or') || name === 'page'));

test.each<[rules: Record<string, unknown>, expected: Record<(typeof SERVERS)[number], readonly string[]>]>([
  [{}, { all: EVERYTHING, half: EVERYTHING, nothing: EVERYTHING }],
  [{ policy: [DENY] }, { all: READING_TOOLS, half: READING_TOOLS, nothing: READING_TOOLS }],
  [
    {
      policy: [
        { tools: ['cordon'], action: 'allow' },
        { tools: ['*or*', 'page'], action: 'deny' },
        { tools: ['*'], action: 'ask' },
      ],
    },
    { all: ALLOWED, half: ALLOWED, nothing: ALLOWED },
  ],
])('a model is offered the tools that the rules %j allow', { timeout: 60_000 }, async (rules, expected) => {
  const started = await start({ rules });
  started.llm.otherwise({ text: 'Nothing to see.' });
  await investigate(started);
  expect(offered(started)).toEqual(expected);
});

test('refuses withheld tools, and reports them to model, trace, page and log', {
  timeout: 60_000,
}, async () => {
  const started = await start({ rules: { policy: [DENY] } });
  started.llm.route('Agent-half.', toolCall('half.wipe', { force: true }), { text: 'Not mine.' });
  started.llm.otherwise({ text: 'Nothing to see.' });
  const id = await investigate(started);
  expect(await called()).toEqual([]);
  const system = started.llm.requests.find(({ messages }) => messages[0]?.content.includes('Agent-half.'));
  expect(system?.messages[0]?.content).toMatch(
    /## Tools that are withheld\n.*- half\.cordon\n- half\.drain\n/s,
  );

  const api = apiClient(started.url);
  const see = () => api.query<Seen>(SEEN, { id });
  // Each server has its own health check.
  const checked = async () =>
    (await see()).mcpServers.flatMap(({ id, tools }) => (tools.length > 0 ? id : []));
  await expect.poll(checked).toEqual(expect.arrayContaining([...SERVERS]));
  await expect.poll(async () => (await see()).systemWarnings.length).toBeGreaterThan(0);
  const { session, mcpServers, systemWarnings } = await see();
  expect(session.timeline.map(({ status, content }) => `${status} ${content}`)).toEqual([
    expect.stringMatching(
      /^FAILED Tool "half\.wipe" is withheld from you \(changes: .*; denied \(policy\)\)/,
    ),
  ]);
  const listing = session.trace.stages[1]!.executions[0]!.mcpInteractions.find(
    (one) => one.toolName === null,
  );
  expect(listing?.availableTools?.map(({ name }) => name)).toEqual(['half.disk_usage', 'half.node_status']);
  expect(listing?.result?.leftOut.map(({ name }) => name)).toEqual(CHANGING_TOOLS);
  const tools = mcpServers.find((server) => server.id === 'half')!.tools;
  expect(tools.filter((tool) => tool.offered).map(({ name }) => name)).toEqual(READING_TOOLS);
  expect(tools.find(({ name }) => name === 'drain')).toMatchObject({
    readOnly: null,
    destructive: true,
    offered: false,
    policy: 'changes: the server declares the tool destructive; denied (policy)',
  });
  expect(systemWarnings).toHaveLength(1);
  expect(systemWarnings[0]).toMatchObject({ category: 'mcp_tools', serverId: 'nothing' });
  expect(systemWarnings[0]!.details).toContain('mcp_servers.nothing.read_only_tools');
  expect(systemWarnings[0]!.details).toContain('cordon, drain');
  expect(log).toMatch(
    /"withheld":\["cordon","drain",.*"mcpServer":"half"|"mcpServer":"half".*"withheld":\["cordon"/,
  );
  expect(log).toMatch(/does not declare which tools make changes/);
});

test('the offline rules call no changing tool, whatever the alert says', { timeout: 120_000 }, async () => {
  const python = await devPython();
  const serviceDir = join(ROOT, 'llm-service');
  const env = { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' };
  const service = await startLlmProcess({ python, serviceDir, env, logger: pino({ level: 'silent' }) });
  try {
    for (const rules of [{}, { allow_changes: true }]) {
      const started = await start({ rules, llmAddress: service.address });
      await investigate(started);
      const calls = await called();
      expect(calls).toContain('all disk_usage');
      expect(calls).toContain('half disk_usage');
      expect(calls.filter((call) => !/^(?:all|half) (?:disk_usage|node_status)$/.test(call))).toEqual([]);
      await started.stop();
      app = null;
    }
    const listed = await start({ rules: { read_only_tools: ['cleanup'] }, llmAddress: service.address });
    await investigate(listed);
    expect(await called()).toContain('nothing cleanup');
  } finally {
    await service.stop();
  }
});

const SEEN = `query ($id: ID!) {
  session(id: $id) {
    timeline(types: [LLM_TOOL_CALL]) { status content }
    trace { stages { executions { mcpInteractions { toolName availableTools result } } } }
  }
  mcpServers { id tools { name readOnly destructive offered policy } }
  systemWarnings { category serverId message details }
}`;

interface Listing {
  toolName: string | null;
  availableTools: { name: string }[] | null;
  result: { leftOut: { name: string; reason: string }[] } | null;
}
interface Seen {
  session: {
    timeline: { status: string; content: string }[];
    trace: { stages: { executions: { mcpInteractions: Listing[] }[] }[] };
  };
  mcpServers: { id: string; tools: { name: string; offered: boolean; policy: string }[] }[];
  systemWarnings: { category: string; serverId: string; details: string }[];
}
