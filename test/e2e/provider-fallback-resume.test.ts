import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { FALLBACK_QUERY, type FallbackState, fails, lists, of } from '../helpers/fallbacks.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';

/** Tests how an agent that fell back to another provider resumes in another process. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

let stop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

const FIRST = 'scripted-1';
const SECOND = 'scripted-2';

async function start(options: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp({ ...options, defaults: { memory: { enabled: false } } });
  stop.push(() => app.stop());
  return app;
}

/** A tool call, and a second answer that the provider never completes. */
const HALF: ScriptedResponse[] = [
  toolCall('tools.echo', { text: 'x' }),
  [{ gate: 'second' }, { text: 'never' }],
];

async function fallbackState(app: TestApp, id: string): Promise<FallbackState> {
  const { session } = await apiClient(app.url).query<{ session: FallbackState }>(FALLBACK_QUERY, { id });
  return session;
}

test('the provider that took over continues', async () => {
  const app = await start({
    chain: { executive_summary_provider: 'scripted-small', ...lists('scripted-google') },
    queue: { heartbeat_interval: '100ms' },
  });
  app.llm.route(of(FIRST), fails('invalid_credentials'));
  app.llm.route(of(SECOND), ...HALF, { text: 'Done.' });
  app.llm.otherwise({ text: 'Short.' });
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  await app.llm.reached('second');
  const pool = new pg.Pool({ connectionString: app.database.url, max: 1 });
  stop.push(() => pool.end());
  // Ends the run's lease, so that the next run resumes from stored state.
  await pool.query(
    `update alert_sessions set attempt = attempt + 1, lease_expires_at = now() - interval '1 second'`,
  );
  app.llm.open('second');
  const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  expect(app.llm.requests.filter(of(FIRST))).toHaveLength(1);
  const { health, timeline } = await fallbackState(app, id);
  expect(health.fallbacks).toBe(1);
  expect(timeline.filter(({ type }) => type === 'LLM_TOOL_CALL')).toHaveLength(1);
});

test('the configured provider continues if the one that took over is not configured any more', async () => {
  const database = await createTestDatabase();
  stop.push(() => database.drop());
  const leaving = { type: 'openai', model: 'scripted-5', api_key_env: 'SCRIPTED_KEY' };
  const before = await start({ database, providers: { leaving }, chain: lists('leaving') });
  before.llm.route(of(FIRST), fails('invalid_credentials'));
  before.llm.route(of('scripted-5'), ...HALF);
  const id = await apiClient(before.url).submit('Disk trouble');
  await before.llm.reached('second');
  await stop.pop()!();
  const after = await start({ database });
  after.llm.script({ text: 'Done.' }, { text: 'Short.' });
  const ended = await apiClient(after.url).waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Done.' });
  expect(after.llm.requests.map(({ llmConfig }) => llmConfig?.model)).toEqual([FIRST, FIRST]);
  const { timeline } = await fallbackState(after, id);
  expect(timeline.filter(({ type }) => type === 'LLM_TOOL_CALL')).toHaveLength(1);
});
