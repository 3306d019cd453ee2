/** Finds the likeliest cause in prepared histories of a cluster: the right change comes first. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HISTORIES, type History } from '../../test/fixtures/changes/histories.ts';
import { startCluster, type TestCluster } from '../../test/helpers/changes/cluster.ts';
import { at, SECRET_VALUE } from '../../test/helpers/changes/objects.ts';
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

const ASKED = { alert_time: at(0), until: at(10), namespace: 'shop', workload: 'deployment/checkout' };

async function list(history: History): Promise<string> {
  cluster.reset(history.objects);
  const workload = history.objects.some(({ kind }) => kind === 'StatefulSet') ? 'checkout' : ASKED.workload;
  const { text, isError } = await changes.call('list_changes', { ...ASKED, workload });
  expect([isError, text]).toEqual([false, expect.any(String)]);
  return text;
}

test.each(HISTORIES)('$name', async (history) => {
  const text = await list(history);
  const lines = text.split('\n').filter((line) => /^\d+\. /.test(line));
  if (history.first === null) {
    expect(lines).toEqual([]);
    expect(text).toContain(
      'Nothing changed between 2026-11-27T10:00:00Z and 2026-11-28T10:10:00Z in what I can see.',
    );
    expect(text).toContain('I could not see:\n- git: no repository is configured');
    return;
  }
  expect(lines[0]).toMatch(history.first);
  for (const also of history.also ?? []) expect(lines.slice(1)).toContainEqual(expect.stringMatching(also));
  const id = /^ {3}id: (\S+)$/m.exec(text)?.[1] ?? '';
  const shown = await changes.call('show_change', { id });
  expect(shown).toEqual({ isError: false, text: expect.stringMatching(history.shows ?? /./) });
  expect(`${text}${shown.text}`).not.toContain(SECRET_VALUE);
  expect(new Set(cluster.requests.map((request) => request.split(' ')[0]))).toEqual(new Set(['GET']));
});

test('shows every listed change of every history', async () => {
  for (const history of HISTORIES) {
    const text = await list(history);
    for (const [, id = ''] of text.matchAll(/^ {3}id: (\S+)$/gm)) {
      const shown = await changes.call('show_change', { id });
      expect([id, shown.isError, shown.text]).toEqual([id, false, expect.stringMatching(/\S/)]);
    }
  }
});

test('lists the nearest change before the alert first if no workload is named', async () => {
  cluster.reset(HISTORIES[0]!.objects);
  const { text } = await changes.call('list_changes', { alert_time: at(0), until: at(10) });
  expect(text.split('\n').find((line) => line.startsWith('1. '))).toContain('deployment shop/search');
  expect(text).toContain("Order: the nearest before the alert's start first.");
});

test('finds the workload of a pod that the alert names', async () => {
  cluster.reset(HISTORIES[2]!.objects);
  const { text } = await changes.call('list_changes', { ...ASKED, workload: 'pod/checkout-new' });
  expect(text).toContain('Alerted workload: deployment shop/checkout.');
  const unknown = await changes.call('list_changes', { ...ASKED, workload: 'no-such-thing' });
  expect(unknown.text).toContain('named "no-such-thing" is visible, so no change is marked as its own');
});
