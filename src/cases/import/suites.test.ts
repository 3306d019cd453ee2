import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CaseDocument } from '../document.ts';
import { readCaseFolder } from '../folder.ts';
import { openRecording } from '../recording.ts';
import { type ImportFormat, type ImportResult, importCases } from './import-cases.ts';

const SUITES = resolve(import.meta.dirname, '../../../test/fixtures/case-suites');
let out: string;
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'tarsy-import-'));
});
afterEach(() => rm(out, { recursive: true }));

async function run(
  format: ImportFormat,
  path = '',
  recordedAt: string | null = null,
): Promise<ImportResult[]> {
  const results: ImportResult[] = [];
  const options = { format, folder: join(SUITES, format, path), out, recordedAt };
  await importCases({ ...options, alertType: 'kubernetes', server: 's' }, (result) => results.push(result));
  return results;
}
const read = (name: string) => readCaseFolder(join(out, name));
function asker(document: CaseDocument) {
  const recording = openRecording(document);
  return (tool: string, args: Record<string, unknown>) =>
    recording.answer({ agent: 'A', server: 's', tool, arguments: args });
}

test('HolmesGPT: recorded tests become open cases, and tests without recordings are named', async () => {
  expect(await run('holmesgpt')).toEqual([
    { name: 'test_ask_holmes-01_slow_shop', result: 'IMPORTED', calls: 3 },
    {
      ...{ name: 'test_ask_holmes-02_live_only', result: 'REFUSED' },
      reason: 'it has no recorded tool results, and TARSy does not run its set-up',
    },
    {
      ...{ name: 'test_investigate-01_full_disk', result: 'REFUSED' },
      reason: 'its files have no time; give --recorded-at',
    },
  ]);
  const document = await read('test_ask_holmes-01_slow_shop');
  expect(document).toMatchObject({
    ...{ world: 'open', alert: 'Why is the shop slow?', recorded_at: '2026-01-02T03:05:00.000Z' },
    notes: expect.stringContaining('- The cart waits for its store'),
    expect: { must_say: [], entities: [], causes: [] },
  });
  expect(document.tools.map(({ name }) => name)).toEqual([
    'fetch_pod_logs',
    'kubectl_describe',
    'list_rules',
  ]);
  await expect(access('/tmp/tarsy-must-not-exist')).rejects.toThrow('ENOENT');
});

test('HolmesGPT: null matches every value, and other calls are not recorded', async () => {
  await run('holmesgpt');
  const ask = asker(await read('test_ask_holmes-01_slow_shop'));
  const pod = { kind: 'pod', name: 'cart-1', namespace: 'shop' };
  const described =
    'Name:         cart-1\nStart Time:   Fri, 02 Jan 2026 03:04:05 +0100\nReady:        False\n';
  expect(ask('kubectl_describe', pod)).toEqual({ recorded: 'EXACT', text: described, isError: false });
  const logs = { pod_name: 'cart-1', namespace: 'shop' };
  expect(ask('fetch_pod_logs', { ...logs, limit: 7 }).text).toMatch(/^2026-01-02 03:05:00 ERROR store/);
  expect(ask('fetch_pod_logs', { ...logs, pod_name: 'cart-2' })).toMatchObject({
    ...{ recorded: 'UNRECORDED', isError: true },
    text: expect.stringMatching(/^Not recorded/),
  });
  const failed = { recorded: 'EQUIVALENT', text: 'prometheus is unreachable', isError: true };
  expect(ask('list_rules', { any: 'thing' })).toEqual(failed);
});

test('HolmesGPT: an investigation has the request as alert and the instructions as runbook', async () => {
  const path = 'test_investigate/01_full_disk';
  const [late] = await run('holmesgpt', path);
  expect(late).toMatchObject({ result: 'REFUSED', reason: expect.stringContaining('--recorded-at') });
  await run('holmesgpt', path, '2026-01-02T03:04:05.000Z');
  const document = await read('01_full_disk');
  expect(document.alert).toMatch(/"title": "DiskFull"\n}\n\n{ "node": "worker-1" }/);
  expect(document).toMatchObject({
    ...{ recorded_at: '2026-01-02T03:04:05.000Z', runbook: expect.stringContaining('disks first') },
    calls: [{ tool: 'df', arguments: {}, error: false, output: 'The tool returned no data.' }],
  });
});

test('OpenSRE: sources become tools with filters, and missing files come from the base', async () => {
  expect(await run('opensre')).toEqual([
    { name: 'shop-000-healthy', result: 'IMPORTED', calls: 9 },
    { name: 'shop-001-bad-image', result: 'IMPORTED', calls: 13 },
  ]);
  const document = await read('shop-001-bad-image');
  expect(document).toMatchObject({
    ...{ world: 'closed', recorded_at: '2026-01-02T03:04:05.000Z' },
    expect: {
      cause: 'configuration_error',
      causes: ['configuration_error', 'healthy', 'resource_exhaustion'],
      must_not_say: [],
    },
  });
  expect(document.tools.map(({ name }) => name)).toEqual(['eks_events', 'eks_pods']);
  const ask = asker(document);
  expect(JSON.parse(ask('eks_pods', {}).text)).toMatchObject({ total: 2, pods: [{}, {}] });
  expect(JSON.parse(ask('eks_pods', { namespace: 'shop' }).text).pods).toMatchObject([{ name: 'cart-1' }]);
  expect(JSON.parse(ask('eks_events', { namespace: 'shop', involved_object: 'Pod/cart-2' }).text)).toEqual({
    warning_events: [expect.objectContaining({ reason: 'BackOff' })],
  });
  const none = {
    recorded: 'UNRECORDED',
    text: 'Not found: no eks pods match these arguments.',
    isError: false,
  };
  expect(ask('eks_pods', { namespace: 'shop', name: 'dns-1' })).toEqual(none);
  expect(document.tools[1]!.input_schema).toMatchObject({ additionalProperties: false });
  expect(document.alert).toContain('Pods wait.');
  expect(document.alert).not.toContain('bad_image');
});

test('RunLore: one output answers every call of its tool, and terms must be in a claim', async () => {
  expect(await run('runlore')).toEqual([{ name: 'full-queue', result: 'IMPORTED', calls: 3 }]);
  const document = await read('full-queue');
  expect(document).toMatchObject({
    ...{ world: 'open', recorded_at: '2026-01-02T03:04:05.000Z' },
    alert: 'QueueFull\n\nWorkload: shop/orders\n\nThe queue of orders grows since 2026-01-02T03:00:00Z.',
    expect: { must_say: ['workers|consumers', 'busy \\(3/3\\)', 'orders'], min_confidence: 0.5 },
    notes: expect.stringMatching(/none of: billing.*\n.*fixtures\/memories are not imported/),
  });
  const ask = asker(document);
  expect(ask('pod_logs', { pod: 'orders-1', tail: 5 })).toMatchObject({
    ...{ recorded: 'EQUIVALENT', text: '2026-01-02T03:04:05Z worker 3 of 3 busy\n' },
  });
  expect(ask('gitops_status', { name: 'x' })).toMatchObject({ text: '', isError: false });
  expect(await run('runlore', 'full-queue.yaml')).toMatchObject([{ name: 'full-queue', result: 'IMPORTED' }]);
});
