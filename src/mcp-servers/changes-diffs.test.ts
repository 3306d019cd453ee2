/** The exact differences that show_change returns: masked, bounded, and readable. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../test/helpers/changes/cluster.ts';
import { at, config, deployment } from '../../test/helpers/changes/objects.ts';
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
beforeEach(() => cluster.reset([]));

const show = (id: string) => changes.call('show_change', { id });
const BEFORE = { number: 1, created: at(-9000) };

test('shows a rollout as a unified diff of the pod template', async () => {
  cluster.reset(
    deployment('checkout', [
      { ...BEFORE, env: { LOG_LEVEL: 'info' } },
      {
        number: 2,
        created: at(-12),
        image: 'shop/checkout:1.5',
        env: { LOG_LEVEL: 'debug' },
        cause: 'release 1.5',
      },
    ]),
  );
  expect((await show('rollout/shop/deployment/checkout/2')).text.split('\n').slice(1)).toEqual([
    'Changed fields:',
    '- spec.containers[app].image',
    '- spec.containers[app].env[LOG_LEVEL].value',
    '--- revision 1',
    '+++ revision 2',
    '@@ -4,7 +4,7 @@',
    ' spec:',
    '   containers:',
    '     - name: app',
    '-      image: shop/checkout:1.4',
    '+      image: shop/checkout:1.5',
    '       env:',
    '         - name: LOG_LEVEL',
    '-          value: info',
    '+          value: debug',
  ]);
  const { text } = await changes.call('list_changes', { alert_time: at(0), namespace: 'shop' });
  expect(text).toContain('change-cause "release 1.5"');
});

test('masks secret values in a pod template, and names the changed field', async () => {
  const [old, fresh] = ['Xk29fmQ7vLp3', 'Zr81hsW4nTb6'];
  cluster.reset(
    deployment('checkout', [
      { ...BEFORE, env: { DB_PASSWORD: old } },
      { number: 2, created: at(-12), env: { DB_PASSWORD: fresh } },
    ]),
  );
  const { text } = await show('rollout/shop/deployment/checkout/2');
  expect(text).toContain('- spec.containers[app].env[DB_PASSWORD].value\nAll differing values are masked.');
  const listed = await changes.call('list_changes', { alert_time: at(0), namespace: 'shop' });
  expect(listed.text).toContain('env DB_PASSWORD of app');
  for (const secret of [old, fresh]) expect(`${text}${listed.text}`).not.toContain(secret);
});

test('compares ConfigMaps whose generated names a rollout replaced', async () => {
  cluster.reset([
    ...deployment('checkout', [
      { ...BEFORE, configMap: 'checkout-config-abc' },
      { number: 2, created: at(-12), configMap: 'checkout-config-def' },
    ]),
    config('ConfigMap', 'checkout-config-abc', {
      time: at(-9000),
      data: { POOL_SIZE: '20', TOKEN: 'Xk29fmQ7vLp3Zr81' },
    }),
    config('ConfigMap', 'checkout-config-def', {
      time: at(-12),
      data: { POOL_SIZE: '1', TOKEN: 'Xk29fmQ7vLp3Zr81' },
    }),
  ]);
  const { text } = await show('rollout/shop/deployment/checkout/2');
  expect(text).toContain('ConfigMap checkout-config-abc was replaced by checkout-config-def:');
  expect(text).toMatch(/-POOL_SIZE: "20"\n\+POOL_SIZE: "1"/);
  expect(text).not.toContain('Xk29fmQ7vLp3Zr81');
});

test('says that the revision before is not kept', async () => {
  cluster.reset(deployment('checkout', [{ number: 9, created: at(-12) }]));
  const { text } = await changes.call('list_changes', {
    alert_time: at(0),
    namespace: 'shop',
    workload: 'checkout',
  });
  expect(text).toContain('revision 9; the revision before it is no longer kept');
  expect((await show('rollout/shop/deployment/checkout/9')).text).toContain(
    'The previous revision is not kept. Pod template of this one:',
  );
});

test('shows the difference between a ConfigMap and the file that was applied last', async () => {
  const object = config('ConfigMap', 'checkout-config', { time: at(-3), data: { LEVEL: 'debug' } });
  object.metadata.annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: { LEVEL: 'info' } }),
  };
  cluster.reset([object]);
  const { text } = await show(`object/shop/ConfigMap/checkout-config/${Date.parse(at(-3)) / 1000}`);
  expect(text).toContain('- last written by kubectl-edit at 2026-11-28T09:57:00Z: LEVEL');
  expect(text).toContain('-LEVEL: info\n+LEVEL: debug');
});

test('bounds a large difference, and says so', async () => {
  const env = (value: string) =>
    Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`SETTING_${index}`, `${value}-${index}`]));
  cluster.reset(
    deployment('checkout', [
      { ...BEFORE, env: env('a') },
      { number: 2, created: at(-12), env: env('b') },
    ]),
  );
  const { text } = await show('rollout/shop/deployment/checkout/2');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
  expect(text).toMatch(/\n- at least 160 more\nThe texts differ in more than 1500 lines\./);
  expect(text).toContain('[output cut: first 32.0 KiB of');
});
