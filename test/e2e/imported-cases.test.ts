import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Cases of public suites, from the files of the suite to replays of the built-in Kubernetes chain. */
const SUITES = join(ROOT, 'test/fixtures/case-suites');
let app: TestApp;
let folder: string;
let cases: ReturnType<typeof caseClient>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-imported-'));
  app = await startTestApp({ defaults: { report: { enabled: true } } });
  cases = caseClient(apiClient(app.url));
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true });
});

async function run(...args: string[]): Promise<{ code: number; out: string }> {
  const options = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/main.ts'), ...args];
  const env = { PATH: process.env.PATH, TARSY_URL: app.url };
  const child = spawn(process.execPath, options, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(String(data)));
  const [code] = await once(child, 'close');
  return { code, out: said.join('') };
}

/** Copies a suite and adds answers until the first case has about 4 MB. */
async function largeSuite(): Promise<string> {
  const suite = join(folder, 'suite');
  await cp(join(SUITES, 'cloud-opsbench'), suite, { recursive: true });
  const path = join(suite, 'shop/network/1/tool_cache.json');
  const cache = JSON.parse(await readFile(path, 'utf8'));
  for (let n = 0; n < 1_600; n += 1) {
    const args = { resource_type: 'pods', name: `cart-${n}`, namespace: 'shop' };
    cache[`DescribeResource:${JSON.stringify(args)}`] =
      `Name: cart-${n}\n${'  "State":  Running\n'.repeat(120)}`;
  }
  await writeFile(path, JSON.stringify(cache));
  return suite;
}

const REPORT: ScriptedResponse = {
  text: JSON.stringify({
    ...{ verdict: 'ACTION_REQUIRED', headline: 'The service cart has a wrong port.', confidence: 0.9 },
    entities: ['app/cart'],
    claims: [
      {
        kind: 'CAUSE',
        text: 'The service cart has the TargetPort 7071/TCP.',
        citations: [{ source: 'T2', quote: 'TargetPort:  7071/TCP' }],
        facts: [claimedFact('cart', 'TargetPort', '7071/TCP')],
      },
      {
        kind: 'RULED_OUT',
        text: 'There is no pod checkout in the namespace shop.',
        citations: [{ source: 'T3', quote: 'Not found: the cluster has nothing that matches' }],
        facts: [{ ...claimedFact('pod checkout', 'absent', ''), filter: 'namespace shop' }],
      },
    ],
  }),
};

test('a Cloud-OpsBench case of 4 MB is imported, stored on the server and replayed', async () => {
  const written = await run('import', 'cloud-opsbench', await largeSuite(), '--out', 'cases');
  expect(written).toEqual({
    code: 0,
    out: 'shop-admission-2: 2 calls\nshop-network-1: 1609 calls\n\n2 imported, 0 no case, 0 broken\n',
  });
  expect((await readFile(join(folder, 'cases/shop-network-1/outputs/calls.jsonl'))).length).toBeGreaterThan(
    4e6,
  );
  const stored = await run('case', 'import', 'cases');
  expect(stored).toMatchObject({ code: 0, out: expect.stringContaining('shop-network-1 with 1609 calls') });
  const id = stored.out.trim().split(' ').at(-1)!;

  app.llm.script(
    [
      toolCall('kubernetes-server.GetResources', { kind: 'po', ns: 'shop' }, 'pods'),
      toolCall(
        'kubernetes-server.DescribeResource',
        { resource_type: 'services', name: 'cart', namespace: 'shop' },
        'service',
      ),
      toolCall(
        'kubernetes-server.DescribeResource',
        { resource_type: 'pods', name: 'checkout', namespace: 'shop' },
        'missing',
      ),
    ],
    { text: 'The target port is wrong [T2].' },
    REPORT,
    toolCall('submit_cause', { cause: 'wrong_port' }, 'cause'),
    { text: 'In short: a wrong port.' },
  );
  const replay = await cases.run({ caseId: id });
  app.llm.assertNoUnusedScripts();
  expect(replay).toMatchObject({ status: 'COMPLETED', passed: true, unrecordedCalls: 1 });
  expect(replay.checks.map(({ name }) => name)).toEqual(['completed', 'entities', 'cause']);
  const calls = replay.session.timeline.filter(({ type }) => type === 'LLM_TOOL_CALL');
  expect(calls.map(({ metadata, content }) => [metadata!.recorded, content.split('\n')[0]])).toEqual([
    ['EQUIVALENT', 'NAME       READY   STATUS'],
    ['EXACT', 'Name:        cart'],
    ['UNRECORDED', expect.stringContaining('Not found')],
  ]);
  // In a closed world a miss proves an absence.
  expect(replay.session.report!.claims.map(({ status }) => status)).toEqual(['SUPPORTED', 'SUPPORTED']);
});

test('in an open world a miss proves no absence, and leaves a replay with a failed check open', async () => {
  const suite = join(SUITES, 'holmesgpt/test_ask_holmes/01_slow_shop');
  expect(await run('import', 'holmesgpt', suite, '--out', 'open')).toMatchObject({ code: 0 });
  const path = join(folder, 'open/01_slow_shop/case.yaml');
  const written = await readFile(path, 'utf8');
  await writeFile(
    path,
    written
      .replace('must_say: []', 'must_say: [store]')
      .replace('A right', 'password: hunter2secret9. A right'),
  );
  const stored = await run('case', 'import', 'open');
  const id = stored.out.trim().split(' ').at(-1)!;
  expect(JSON.parse(await cases.document(id)).notes).toMatch(/password: \[MASKED_PASSWORD\]/);
  const report: ScriptedResponse = {
    text: JSON.stringify({
      ...{ verdict: 'ACTION_REQUIRED', headline: 'The pod is gone.', confidence: 0.9, entities: ['cart-2'] },
      claims: [
        {
          kind: 'OBSERVATION',
          text: 'There are no logs of the pod cart-2 in the namespace shop.',
          citations: [{ source: 'T1', quote: 'its recording has no answer to this call' }],
          facts: [{ ...claimedFact('cart-2', 'absent', ''), filter: 'namespace shop' }],
        },
      ],
    }),
  };
  app.llm.script(
    [toolCall('kubernetes-server.fetch_pod_logs', { pod_name: 'cart-2', namespace: 'shop' }, 'logs')],
    { text: 'There are no logs [T1].' },
    report,
    report,
    { text: 'In short: gone.' },
  );
  const replay = await cases.run({ caseId: id });
  expect(replay).toMatchObject({ passed: null, confidentlyWrong: false, unrecordedCalls: 1 });
  const call = replay.session.timeline.find(({ type }) => type === 'LLM_TOOL_CALL');
  expect(call).toMatchObject({ status: 'FAILED', content: expect.stringContaining('Nothing is known') });
  expect(replay.session.report!.claims.map(({ status }) => status)).toEqual(['UNSUPPORTED']);
});
