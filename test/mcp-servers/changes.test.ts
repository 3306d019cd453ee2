/** Investigates a cluster with the built-in settings: the agent asks the changes server first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinSource } from '../../src/config/builtin.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startCluster, type TestCluster } from '../helpers/changes/cluster.ts';
import { at, deployment } from '../helpers/changes/objects.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const PASSWORD = 'Xk29fmQ7vLp3Zr81';

let cluster: TestCluster;
let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  cluster = await startCluster();
  cluster.reset(
    deployment('checkout', [
      { number: 1, created: at(-9000), env: { DB_PASSWORD: PASSWORD } },
      { number: 2, created: at(-12), image: 'shop/checkout:1.5', env: { DB_PASSWORD: PASSWORD } },
    ]),
  );
  const { mcp_servers: servers, agents } = builtinSource({});
  const changes = servers!.changes!;
  if (changes.transport.type !== 'stdio') throw new Error('the built-in server runs over stdio');
  app = await startTestApp({
    mcpServers: {
      changes: { ...changes, transport: { ...changes.transport, env: { KUBECONFIG: cluster.kubeconfig } } },
    },
    agents: { TestAgent: { ...agents!.KubernetesAgent, mcp_servers: ['changes'] } },
  });
  api = apiClient(app.url);
});
afterAll(async () => {
  await app?.stop();
  await cluster?.close();
});

test('lists and shows changes in an investigation, with masked values', { timeout: 60_000 }, async () => {
  const args = { alert_time: at(0), namespace: 'shop', workload: 'checkout' };
  app.llm.script(
    [
      toolCall('changes.list_changes', args),
      toolCall('changes.show_change', { id: 'rollout/shop/deployment/checkout/2' }),
    ],
    { text: 'The rollout is the cause.' },
    { text: 'In short: the rollout.' },
  );
  const id = await api.submit('checkout does not answer');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const { session } = await api.query<{ session: { timeline: { status: string; content: string }[] } }>(
    `query ($id: ID!) { session(id: $id) { timeline(types: [LLM_TOOL_CALL]) { status content } } }`,
    { id },
  );
  expect(session.timeline).toEqual([
    {
      status: 'COMPLETED',
      content: expect.stringMatching(
        /1\. .*\[own\] rollout deployment shop\/checkout: revision 1 → revision 2/,
      ),
    },
    {
      status: 'COMPLETED',
      content: expect.stringMatching(/-\s+image: shop\/checkout:1\.4\n\+\s+image: shop\/checkout:1\.5/),
    },
  ]);
  const told = JSON.stringify(app.llm.requests);
  expect(told).toContain('First ask what changed: call changes.list_changes');
  expect(told).toContain('DB_PASSWORD');
  expect(told).not.toContain(PASSWORD);
});
