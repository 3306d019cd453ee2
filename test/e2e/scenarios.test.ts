import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import type { CaseDocument } from '../../src/cases/document.ts';
import { apiClient } from '../helpers/api.ts';
import type { TestApp } from '../helpers/app.ts';
import { caseClient, type ReplayView } from '../helpers/cases.ts';
import { startOfflineApp } from '../helpers/offline-app.ts';
import { isHealthy, neighbourOf, shippedScenarios } from '../helpers/scenarios.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

/** The shipped scenarios through the queue, the engine and the LLM service, with the offline rules as the model. */
let app: TestApp;

beforeAll(async () => {
  app = await startOfflineApp();
});
afterAll(() => app?.stop());

/** Replays the cases, and checks what must hold for any set of scenarios with their healthy twins. */
async function expectGoodJudgement(documents: readonly CaseDocument[]): Promise<void> {
  const cases = caseClient(apiClient(app.url));
  const played = await Promise.all(
    documents.map(async (document) => {
      const { case: stored, message } = await cases.import(JSON.stringify(document));
      if (!stored) throw new Error(message);
      return { name: document.name, replay: await cases.run({ caseId: stored.id, llmProvider: 'offline' }) };
    }),
  );
  const passes = ({ checks }: ReplayView, wanted: string) =>
    checks.some(({ name, passed }) => name === wanted && passed);
  const claims = played.flatMap(({ replay }) => replay.session.report?.claims ?? []);
  expect(claims.length).toBeGreaterThan(4 * played.length);
  expect(claims.filter(({ status }) => status !== 'SUPPORTED' && status !== 'NOT_CHECKABLE')).toEqual([]);
  const [healthy, faulty] = [played.filter(isHealthy), played.filter((one) => !isHealthy(one))];
  expect(played.filter(({ replay }) => !passes(replay, 'completed'))).toEqual([]);
  expect(played.filter(({ replay }) => replay.confidentlyWrong)).toEqual([]);
  const rightEntity = faulty.filter(({ replay }) => passes(replay, 'entities'));
  expect(rightEntity.length, namesOf(rightEntity)).toBeGreaterThanOrEqual(8);
  const noAction = healthy.filter(({ replay }) => passes(replay, 'verdict'));
  expect(noAction.length, namesOf(noAction)).toBeGreaterThanOrEqual(11);
}

const namesOf = (played: readonly { name: string }[]) => played.map(({ name }) => name).join(' ');

test('the rules name the faulty entity, find healthy twins healthy, and are never confidently wrong', async () => {
  await expectGoodJudgement(await shippedScenarios());
});

test('the rules judge neighbours with other names and figures as well', async () => {
  const shipped = await shippedScenarios();
  const neighbours = shipped.map(neighbourOf);
  expect(neighbours.filter(({ alert }, index) => alert === shipped[index]!.alert)).toEqual([]);
  await expectGoodJudgement(neighbours);
});

test('every scenario has a healthy twin with the same alert, runbook, tools and calls', async () => {
  const documents = await shippedScenarios();
  const faulty = documents.filter((one) => !isHealthy(one));
  expect([faulty.length, documents.length]).toEqual([12, 24]);
  const question = ({ alert, runbook, tools, calls }: CaseDocument) => ({
    ...{ alert, runbook, tools },
    calls: calls.map(({ server, tool, arguments: args }) => ({ server, tool, args })),
  });
  for (const one of faulty) {
    const twin = documents.find(({ name }) => name === `${one.name}-healthy`)!;
    expect(question(twin)).toEqual(question(one));
    expect(one).toMatchObject({ world: 'closed', notes: expect.stringContaining('Checklist') });
    expect(one.calls.length).toBeGreaterThanOrEqual(5);
    expect(twin.expect.verdict).toBe('NO_ACTION');
  }
});

async function scenario(...args: string[]): Promise<{ code: number; out: string }> {
  const main = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/main.ts'), 'scenario'];
  const child = spawn(process.execPath, [...main, ...args], {
    env: { PATH: process.env.PATH, TARSY_URL: app.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(String(data)));
  const [code] = await once(child, 'close');
  return { code, out: said.join('') };
}

test('the command lists the scenarios, plays one live and prints the checks', async () => {
  const listed = await scenario();
  expect(listed.code).toBe(0);
  for (const { name } of (await shippedScenarios()).filter((one) => !isHealthy(one)))
    expect(listed.out).toMatch(new RegExp(`^${name} `, 'm'));
  const played = await scenario('out-of-memory-healthy');
  expect(played.out).toMatch(/^Plays out-of-memory-healthy: http:\S+\/sessions\/[0-9a-f-]{36}\n/);
  expect(played.out).toContain('→ kubernetes.pods_list');
  expect(played.out).toContain('── As expected\n  ✓ completed');
  expect(played.out).toContain('✓ verdict: NO_ACTION, expected NO_ACTION');
  expect(played.code).toBe(0);
  const failed = await scenario('crash-loop');
  expect(failed.out).toContain('✗ mustSay: no claim matches PAYMENT_TIMEOUT'); // rules make no claim of a log line
  expect(failed.code).toBe(1);
  expect(await scenario('no-such')).toMatchObject({ code: 2, out: expect.stringContaining('no-such') });
});
