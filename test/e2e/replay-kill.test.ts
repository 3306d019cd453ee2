import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import type { Results } from '../../src/cli/replay/results.ts';
import type { TestApp } from '../helpers/app.ts';
import { startOfflineApp } from '../helpers/offline-app.ts';
import { chat } from '../helpers/providers/chat.ts';
import { type ProviderServer, startProviders } from '../helpers/providers/server.ts';
import { isHealthy, SCENARIOS, shippedScenarios } from '../helpers/scenarios.ts';

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 240_000 });

/** The command that replays, killed in the middle. `npm run test:replays` has all scenarios and three runs. */
const COUNT = Number(process.env.REPLAY_SCENARIOS ?? 3);
const RUNS = Number(process.env.REPLAY_RUNS ?? 2);
const PROVIDERS = ['offline', 'scripted-model'];
/** A model behind its wire that always says the same, and is wrong about every incident. */
const REPORT = JSON.stringify({
  ...{ verdict: 'NO_ACTION', headline: 'All is well.', confidence: 0.5, entities: ['all'] },
  claims: [{ kind: 'GAP', text: 'The cause is not known.', citations: [], facts: [] }],
});

let model: ProviderServer;
let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tarsy-kill-'));
  const answer = () => ({ thought: 'Fine.', text: REPORT, call: null });
  model = await startProviders({ model: { family: chat, answer } });
  process.env.SCRIPTED_KEY = 'a-key-of-a-test'; // of the LLM service, which inherits this environment
  app = await startOfflineApp({
    queue: { max_concurrent_sessions: 8 },
    providers: { 'scripted-model': { ...chat.config(model.url('model')), api_key_env: 'SCRIPTED_KEY' } },
  });
});
afterAll(async () => {
  await app?.stop();
  await model?.close();
  await rm(folder, { recursive: true });
});

/** Starts the command. `killAfter`: the number of ended replays after which it is killed. */
async function run(
  args: readonly string[],
  killAfter: number | null,
): Promise<{ code: number; out: string }> {
  const main = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/main.ts'), 'replay'];
  const child: ChildProcess = spawn(process.execPath, [...main, ...args], {
    ...{ cwd: folder, env: { PATH: process.env.PATH, TARSY_URL: app.url } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    const ended = Number(/^\[(\d+)\//.exec(line)?.[1] ?? 0);
    if (killAfter !== null && ended >= killAfter) child.kill('SIGKILL');
  }
  const [code] = await closed;
  return { code, out: lines.join('\n') };
}

test(`a command killed three times makes ${COUNT} scenarios × 2 providers × ${RUNS} runs once, with one table`, async () => {
  const scenarios = (await shippedScenarios()).filter((one) => !isHealthy(one)).slice(0, COUNT);
  const total = COUNT * PROVIDERS.length * RUNS;
  const args = [
    ...scenarios.map(({ name }) => join(SCENARIOS, name)),
    ...PROVIDERS.flatMap((name) => ['--provider', name]),
    ...['--runs', String(RUNS), '--concurrency', '4', '--out', 'results.json'],
  ];
  const results = async (): Promise<Results> =>
    JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'));
  let known: string[] = [];
  for (const quarter of [1, 2, 3]) {
    const killed = await run(args, Math.floor((total * quarter) / 4));
    expect(killed.code).toBeNull(); // ended by the signal
    expect(killed.out).not.toContain('failed checks');
    const ids = (await results()).results.map(({ replayId }) => replayId);
    expect(ids).toEqual(expect.arrayContaining(known));
    known = ids;
  }
  const { code, out } = await run(args, null);
  expect(out).toMatch(new RegExp(`^Resuming: \\d+ of ${total} replays have ended\\.\n`));
  expect(out.match(/^result +case +provider/gm)).toHaveLength(1);
  const { results: items } = await results();
  expect(items.map(({ replayId }) => replayId)).toEqual(expect.arrayContaining(known));
  const slots = items.map(({ case: name, provider, run: number }) => `${name} ${provider} ${number}`);
  expect(new Set(slots).size).toBe(total);
  expect(slots).toHaveLength(total);
  expect(items.filter(({ status }) => status !== 'COMPLETED')).toEqual([]);
  const passed = (provider: string) =>
    items.filter((item) => item.provider === provider && item.passed === true).length;
  expect(out).toContain(`\noffline: ${passed('offline')} of ${COUNT * RUNS} passed`);
  expect(out).toContain(`\nscripted-model: ${passed('scripted-model')} of ${COUNT * RUNS} passed`);
  const checks = items.filter(({ provider }) => provider === 'scripted-model').map((item) => item.checks[0]);
  expect(checks.filter((check) => check?.name !== 'completed' || !check.passed)).toEqual([]);
  expect(passed('offline')).toBeGreaterThan(passed('scripted-model'));
  expect(code).toBe(1); // the scripted model is wrong
  expect(await run(args, null)).toMatchObject({
    code: 1,
    out: expect.stringContaining(`${total} of ${total}`),
  });
  if (COUNT === 12) console.log(out);
});
