import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import type { CaseDocument } from '../../src/cases/document.ts';
import { findCaseFolders, readCaseFolder } from '../../src/cases/folder.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { caseClient, type ReplayView } from '../helpers/cases.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

/** The shipped scenarios through the queue, the engine and the LLM service, with the offline rules as the model. */
let service: Awaited<ReturnType<typeof startLlmProcess>>;
let app: TestApp;

beforeAll(async () => {
  service = await startLlmProcess({
    python: await devPython(),
    serviceDir: `${ROOT}/llm-service`,
    env: { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' },
    logger: pino({ level: 'silent' }),
  });
  app = await startTestApp({
    llmAddress: service.address,
    defaults: {
      ...{ llm_provider: 'offline', iteration_strategy: undefined, max_iterations: 10 },
      report: { enabled: true },
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await service?.stop();
});

const isHealthy = ({ name }: { name: string }) => name.endsWith('-healthy');

async function shipped(): Promise<CaseDocument[]> {
  const folders = await findCaseFolders(join(ROOT, 'deploy/scenarios'));
  return Promise.all(folders.map(readCaseFolder));
}

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
  const [healthy, faulty] = [played.filter(isHealthy), played.filter((one) => !isHealthy(one))];
  expect(played.filter(({ replay }) => !passes(replay, 'completed'))).toEqual([]);
  expect(played.filter(({ replay }) => replay.confidentlyWrong)).toEqual([]);
  const rightEntity = faulty.filter(({ replay }) => passes(replay, 'entities'));
  expect(rightEntity.length, namesOf(rightEntity)).toBeGreaterThanOrEqual((faulty.length * 8) / 12);
  const noAction = healthy.filter(({ replay }) => passes(replay, 'verdict'));
  expect(noAction.length, namesOf(noAction)).toBeGreaterThanOrEqual((healthy.length * 11) / 12);
}

const namesOf = (played: readonly { name: string }[]) => played.map(({ name }) => name).join(' ');

describe('the offline rules', () => {
  test('name the faulty entity, find healthy twins healthy, and are never confidently wrong', async () => {
    await expectGoodJudgement(await shipped());
  });
});

test('every scenario has a healthy twin with the same alert, runbook, tools and calls', async () => {
  const documents = await shipped();
  const faulty = documents.filter((one) => !isHealthy(one));
  for (const one of faulty) {
    const twin = documents.find(({ name }) => name === `${one.name}-healthy`);
    const question = ({ alert, runbook, tools, calls }: CaseDocument) => ({
      ...{ alert, runbook, tools },
      calls: calls.map(({ server, tool, arguments: args }) => ({ server, tool, args })),
    });
    expect(question(twin!)).toEqual(question(one));
    expect(one).toMatchObject({ world: 'closed', notes: expect.stringContaining('Checklist') });
    expect(one.calls.length).toBeGreaterThanOrEqual(5);
    expect(twin!.expect.verdict).toBe('NO_ACTION');
  }
  expect(documents).toHaveLength(2 * faulty.length);
});
