/** Runs whole investigations with third-party MCP servers. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinSource } from '../../src/config/builtin.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { KUBERNETES_TOKEN, type KubernetesApi, startKubernetesApi } from '../helpers/mcp/kubernetes-api.ts';
import { type HttpEverything, NPM_SERVERS, startEverything } from '../helpers/mcp/npm-servers.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Secret in a log file and in a Kubernetes secret. Tools return both; the secret must not reach the model. */
const PASSWORD = 'hunter2-planted';

let folder: string;
let cluster: KubernetesApi;
let web: HttpEverything;
let events: HttpEverything;
let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-servers-')));
  cluster = await startKubernetesApi(OBJECTS, { 'checkout-1': 'panic: connection refused\n' });
  await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig);
  await writeFile(join(folder, 'app.log'), `started\nDB_PASSWORD=${PASSWORD}\nno space left on device\n`);
  [web, events] = await Promise.all([startEverything('http'), startEverything('sse')]);
  const node = (program: string, args: string[], env = {}) => ({
    transport: { type: 'stdio', command: process.execPath, args: [program, ...args], env },
  });
  app = await startTestApp({
    mcpServers: {
      'kubernetes-server': builtinKubernetes(join(folder, 'kubeconfig')),
      files: node(NPM_SERVERS.filesystem, [folder]),
      memory: {
        ...node(NPM_SERVERS.memory, [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
        allow_changes: true,
      },
      web: { transport: web.settings.transport },
      events: { transport: events.settings.transport },
    },
    agents: { TestAgent: { mcp_servers: ['kubernetes-server', 'files', 'memory', 'web', 'events'] } },
  });
  api = apiClient(app.url);
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([web?.close(), events?.close(), cluster?.close()]);
  await rm(folder, { recursive: true });
});

const OBJECTS = [
  { kind: 'Namespace', metadata: { name: 'shop' }, status: { phase: 'Active' } },
  {
    kind: 'Pod',
    metadata: { name: 'checkout-1', namespace: 'shop' },
    spec: { containers: [{ name: 'app', image: 'shop/checkout:1' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: false, restartCount: 7 }] },
  },
  {
    kind: 'Event',
    metadata: { name: 'e1', namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'checkout-1' },
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
  },
  {
    kind: 'Secret',
    metadata: { name: 'db', namespace: 'shop' },
    type: 'Opaque',
    data: { password: Buffer.from(PASSWORD).toString('base64') },
  },
];

/** Returns the built-in server's settings, with a preinstalled program in place of a download. */
function builtinKubernetes(kubeconfig: string) {
  const server = builtinSource({ KUBECONFIG: kubeconfig }).mcp_servers?.['kubernetes-server'];
  if (server?.transport.type !== 'stdio') throw new Error('the built-in server runs over stdio');
  const [yes, program, ...flags] = server.transport.args ?? [];
  expect([yes, program]).toEqual(['-y', expect.stringMatching(/^kubernetes-mcp-server@\d+\.\d+\.\d+$/)]);
  return {
    ...server,
    transport: { type: 'stdio', command: process.execPath, args: [NPM_SERVERS.kubernetes, ...flags] },
  };
}

interface ToolEvent {
  status: string;
  content: string;
}

/** Makes the calls in one model turn and returns their results in order. */
async function investigate(...calls: ReturnType<typeof toolCall>[]): Promise<ToolEvent[]> {
  app.llm.script(calls, { text: 'Understood.' }, { text: 'In short: understood.' });
  const id = await api.submit('checkout does not answer');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const { session } = await api.query<{ session: { timeline: ToolEvent[] } }>(
    `query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { status content } } }`,
    { id },
  );
  return session.timeline;
}

test('investigates a cluster through the built-in Kubernetes server', { timeout: 60_000 }, async () => {
  const found = await investigate(
    toolCall('kubernetes-server.pods_list_in_namespace', { namespace: 'shop' }),
    toolCall('kubernetes-server.events_list', { namespace: 'shop' }),
    toolCall('kubernetes-server.pods_log', { namespace: 'shop', name: 'checkout-1' }),
    toolCall('kubernetes-server.resources_get', {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'shop',
      name: 'db',
    }),
    toolCall('kubernetes-server.pods_get', { namespace: 'shop', name: 'gone' }),
    toolCall('kubernetes-server.configuration_view'),
    toolCall('kubernetes-server.pods_delete', { namespace: 'shop', name: 'checkout-1' }),
  );
  expect(found.map(({ status, content }) => [status, content])).toEqual([
    ['COMPLETED', expect.stringContaining('checkout-1')],
    ['COMPLETED', expect.stringContaining('Back-off restarting failed container')],
    ['COMPLETED', expect.stringContaining('panic: connection refused')],
    ['COMPLETED', expect.stringMatching(/kind: Secret[\s\S]*name: db/)],
    ['FAILED', expect.stringContaining('pods "gone" not found')],
    ['COMPLETED', expect.stringContaining('current-context: test')],
    ['FAILED', expect.stringContaining('Unknown tool "kubernetes-server.pods_delete"')],
  ]);
  const told = JSON.stringify(app.llm.requests);
  expect(told.includes('current-context: test')).toBe(true);
  expect(told.includes(Buffer.from(PASSWORD).toString('base64'))).toBe(false);
  expect(told.includes(KUBERNETES_TOKEN)).toBe(false);
  expect(new Set(cluster.requests.map((request) => request.split(' ')[0]))).toEqual(new Set(['GET']));
});

test('uses files and a knowledge graph over stdio', { timeout: 60_000 }, async () => {
  const found = await investigate(
    toolCall('files.read_text_file', { path: join(folder, 'app.log') }),
    toolCall('files.list_directory', { path: folder }),
    toolCall('files.read_text_file', { path: '/etc/passwd' }),
    toolCall('memory.create_entities', {
      entities: [{ name: 'checkout', entityType: 'service', observations: ['crash loop'] }],
    }),
  );
  expect(found.map(({ status, content }) => [status, content])).toEqual([
    ['COMPLETED', expect.stringContaining('no space left on device')],
    ['COMPLETED', expect.stringContaining('[FILE] app.log')],
    ['FAILED', expect.stringContaining('Access denied')],
    ['COMPLETED', expect.stringContaining('crash loop')],
  ]);
  expect(JSON.stringify(app.llm.requests).includes(PASSWORD)).toBe(false);
  expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('checkout');
  const [graph] = await investigate(toolCall('memory.read_graph'));
  expect(graph?.content).toContain('crash loop');
});

test('uses streamable HTTP and SSE in the same session', { timeout: 60_000 }, async () => {
  const found = await investigate(
    toolCall('web.get-sum', { a: 1, b: 2 }),
    toolCall('events.get-sum', { a: 3, b: 4 }),
    toolCall('web.get-tiny-image'),
    toolCall('events.get-resource-links', { count: 1 }),
  );
  expect(found.map(({ status, content }) => [status, content])).toEqual([
    ['COMPLETED', 'The sum of 1 and 2 is 3.'],
    ['COMPLETED', 'The sum of 3 and 4 is 7.'],
    ['COMPLETED', expect.stringContaining('[image image/png, 4033 bytes]')],
    ['COMPLETED', expect.stringContaining('demo://resource/dynamic/')],
  ]);
});
