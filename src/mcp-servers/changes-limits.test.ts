/** Checks the answers about a cluster that answers slowly, partly or not at all. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLUSTER_TOKEN, startCluster, type TestCluster } from '../../test/helpers/changes/cluster.ts';
import { at, config, deployment, helmRelease, SECRET_VALUE } from '../../test/helpers/changes/objects.ts';
import { type ShippedServer, startChanges } from '../../test/helpers/mcp/shipped-servers.ts';

let cluster: TestCluster;
let changes: ShippedServer;

beforeAll(async () => {
  cluster = await startCluster();
  changes = await startChanges({ KUBECONFIG: cluster.kubeconfig });
});
afterAll(async () => {
  await changes?.close();
  await cluster?.close();
});
beforeEach(() =>
  cluster.reset(
    deployment('checkout', [
      { number: 1, created: at(-9000) },
      { number: 2, created: at(-12), image: 'shop/checkout:1.5' },
    ]),
  ),
);

const ASKED = { alert_time: at(0), until: at(10), namespace: 'shop', workload: 'checkout' };
const list = (args: object = {}) => changes.call('list_changes', { ...ASKED, ...args });
const pathsOf = (plural: string) => cluster.requests.filter((request) => request.includes(`/${plural}?`));

const ROLLOUT = /1\. .*\[own\] rollout deployment shop\/checkout: revision 1 → revision 2/;

test('reads lists page by page', async () => {
  cluster.pageSize = 1;
  expect((await list()).text).toMatch(ROLLOUT);
  expect(pathsOf('replicasets').map((path) => /continue=(\d+)/.exec(path)?.[1] ?? 'first')).toEqual([
    'first',
    '1',
  ]);
});

test('reads a list again that expired between two pages', async () => {
  cluster.pageSize = 1;
  cluster.faults.expired = { replicasets: 1 };
  const { text } = await list();
  expect(text).toMatch(ROLLOUT);
  expect(text).not.toContain('expired while');
  expect(pathsOf('replicasets')).toHaveLength(4);
});

test('says that a list expired twice, and keeps what it read', async () => {
  cluster.pageSize = 1;
  cluster.faults.expired = { replicasets: 9 };
  const { text, isError } = await list();
  expect(isError).toBe(false);
  expect(text).toContain('- replicasets: 410 the list expired twice while it was read');
});

test('names what it may not see, and shows the rest', async () => {
  cluster.faults.forbidden = ['secrets', 'nodes'];
  const { text } = await list();
  expect(text).toMatch(ROLLOUT);
  expect(text).toMatch(
    /I could not see:\n(?:- .*\n)*- secrets: 403 forbidden: secrets is forbidden: User "system:serviceaccount:tarsy:tarsy-worker"/,
  );
  expect(text).toContain('- nodes: 403 forbidden');
});

test('says that a source did not answer in time', async () => {
  // Long enough for the sources that answer, also on a busy machine.
  const hasty = await startChanges({ KUBECONFIG: cluster.kubeconfig, CHANGES_MCP_TIMEOUT_SECONDS: '5' });
  cluster.faults.silent = ['configmaps'];
  const { text } = await hasty.call('list_changes', ASKED);
  await hasty.close();
  expect(text).toMatch(ROLLOUT);
  expect(text).toContain('- configmaps: no answer within 5 s');
});

test('lists custom resources of one namespace if the whole cluster is forbidden', async () => {
  cluster.objects.push({
    kind: 'HelmRelease',
    metadata: { name: 'checkout', namespace: 'shop' },
    status: {
      history: [
        {
          version: 3,
          chartName: 'checkout',
          chartVersion: '2.1.0',
          lastDeployed: at(-4),
          status: 'deployed',
        },
      ],
    },
  });
  cluster.faults.forbiddenClusterWide = ['helmreleases'];
  const { text } = await list();
  expect(text).toContain('flux HelmRelease shop/checkout: release 3: chart checkout-2.1.0 [deployed]');
  expect(text).toContain('- helmreleases: outside shop: 403 forbidden');
});

test('says which products the cluster does not have', async () => {
  expect((await list()).text).toContain('Not in this cluster: Argo CD, Flux.');
});

test('fails instead of claiming that nothing changed if the cluster cannot be reached', async () => {
  const other = await startCluster();
  const lost = await startChanges({ KUBECONFIG: other.kubeconfig });
  await other.close();
  const closed = await lost.call('list_changes', ASKED);
  await lost.close();
  expect(closed.isError).toBe(true);
  expect(closed.text).toBe(
    'FAILED: Nothing could be read: the cluster: the Kubernetes API could not be reached (ECONNREFUSED); git: no repository is configured (CHANGES_MCP_GIT_REPOSITORIES)',
  );
});

test('says how to configure a source if there is none', async () => {
  const bare = await startChanges({ HOME: '/nonexistent' });
  const { text, isError } = await bare.call('list_changes', {});
  await bare.close();
  expect([isError, text]).toEqual([
    true,
    'FAILED: Nothing could be read: the cluster: none is configured; set KUBECONFIG; git: no repository is configured (CHANGES_MCP_GIT_REPOSITORIES)',
  ]);
});

test('never asks for the values of Secrets, and drops them from a server that sends them', async () => {
  cluster.objects.push(
    config('Secret', 'db', { time: at(-3), data: { password: SECRET_VALUE } }),
    helmRelease('checkout', 2, { created: at(-5), chart: '2.0.0' }),
  );
  const { text } = await list();
  expect(text).toContain('config Secret shop/db: updated (resourceVersion 4711); by kubectl-edit');
  const id = /id: (object\/shop\/Secret\/db\/\d+)/.exec(text)?.[1];
  const shown = await changes.call('show_change', { id });
  expect(shown.text).toContain('The content of Secrets is never read.');
  expect(cluster.sent.join('')).not.toContain(SECRET_VALUE);
  expect(`${text}${shown.text}`).not.toContain('password');

  cluster.faults.ignoresMetadata = true;
  const careless = await list();
  expect(cluster.sent.join('')).toContain(SECRET_VALUE);
  expect(careless.text).toContain('- secrets: the server does not send metadata alone');
  expect(careless.text).not.toContain(SECRET_VALUE);
});

test('bounds the list, and says how much is missing', async () => {
  cluster.objects.push(
    ...Array.from({ length: 300 }, (_, index) =>
      config('ConfigMap', `config-${index}-${'x'.repeat(150)}`, {
        time: at(-20 - index),
        data: { KEY: 'value' },
      }),
    ),
  );
  const short = await list({ limit: 3 });
  expect(short.text.split('\n').filter((line) => /^\d+\. /.test(line))).toHaveLength(3);
  expect(short.text).toContain(
    '[298 more changes not shown; use a higher limit, a shorter time span or a namespace]',
  );
  const long = await list({ limit: 100 });
  expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(32 * 1024);
});

test('reads a bounded number of objects, and says that more exist', async () => {
  cluster.objects.push(
    ...Array.from({ length: 5600 }, (_, index) =>
      config('ConfigMap', `config-${index}`, { time: at(-9000) }),
    ),
  );
  const { text } = await list();
  expect(text).toContain(
    '- configmaps: only the first 5000 objects were read, 600 more exist; name a namespace',
  );
});

test('refuses malformed input with the reason', async () => {
  expect(await list({ since: at(20) })).toMatchObject({
    isError: true,
    text: expect.stringContaining('BAD_INPUT: since (2026-11-28T10:20:00Z) must be before until'),
  });
  for (const namespace of ['../../secrets', 'a/b', 'UPPER', 'a?x=1'])
    await expect(list({ namespace })).resolves.toMatchObject({ isError: true });
  for (const id of [
    'rollout/shop/deployment/checkout',
    'object/../../../api/x',
    'nothing/x',
    'rollout/shop/deployment/%2e%2e/2',
    'constructor/a',
  ])
    expect(await changes.call('show_change', { id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('BAD_INPUT'),
    });
  const gone = await changes.call('show_change', { id: 'rollout/shop/deployment/gone/2' });
  expect(gone).toEqual({ isError: true, text: 'NOT_FOUND: The changed object no longer exists.' });
});

test('keeps the token of the cluster out of every answer', async () => {
  cluster.faults.forbidden = ['pods'];
  expect((await list()).text).not.toContain(CLUSTER_TOKEN);
});
