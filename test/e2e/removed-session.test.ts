import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyRetention } from '../../src/engine/sessions/retention.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { caseClient } from '../helpers/cases.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { databaseTexts } from '../helpers/database-texts.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { addHint } from '../helpers/hints.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** A word that stands in each text of the session. */
const MARK = 'quokka-731';

let app: TestApp;
let api: ApiClient;
let pool: ReturnType<typeof openTestPool>;
beforeEach(async () => {
  app = await startTestApp({ defaults: { memory: { enabled: false } } });
  api = apiClient(app.url);
  pool = openTestPool(app.database.url);
});
afterEach(async () => {
  await pool.end();
  await app.stop();
});

/** Runs an investigation with a hint, an answered question, a review and a case. Returns the session's id. */
async function investigate(): Promise<string> {
  const call = toolCall('tools.echo', { text: `${MARK} is full` });
  app.llm.script([{ gate: 'looking' }, call], { text: `${MARK} is full.` }, { text: `In short: ${MARK}.` });
  const session = await api.submit(`Disk full on ${MARK}`, { idempotencyKey: 'once' });
  await app.llm.reached('looking');
  await addHint(api, session, `Look at ${MARK}.`);
  app.llm.open('looking');
  await api.waitFor(session, ({ status }) => ENDED.has(status));
  app.llm.script({ text: `Because of ${MARK}.` });
  await waitForStageEnd(api, session, await askQuestion(api, session, `Why ${MARK}?`));
  await api.query(
    `mutation ($id: ID!, $text: String!) { reviewSessions(input: { sessionIds: [$id], action: COMPLETE, rating: ACCURATE,
       actionTaken: $text, feedback: $text }) { __typename } }`,
    { id: session, text: `Cleaned ${MARK}` },
  );
  const made = await caseClient(api).create({ sessionId: session, name: 'full-disk' });
  expect(made.message).toBeUndefined();
  return session;
}

/** Returns the tables that hold a text. */
async function tablesWith(text: string): Promise<string[]> {
  const texts = Object.entries(await databaseTexts(pool));
  return texts.flatMap(([table, content]) => (content.includes(text) ? [table] : [])).sort();
}

it('leaves its texts in its cases alone, and its id where callers and auditors look for it', async () => {
  const session = await investigate();
  const id = Buffer.from(session, 'base64').toString().split(':')[1]!;
  await expect.poll(() => tablesWith(MARK)).toContain('public.session_search');
  for (const table of ['alert_sessions', 'timeline_events', 'messages', 'chat_user_messages', 'cases'])
    expect(await tablesWith(MARK)).toContain(`public.${table}`);

  await pool.query(`update alert_sessions set deleted_at = now() - interval '31 days'`);
  const { signal } = new AbortController();
  const removed = await applyRetention({
    ...{ db: pool, retentionDays: 365, graceDays: 30, signal },
    logger: pino({ level: 'silent' }),
  });
  expect(removed).toEqual({ hidden: 0, removed: 1 });

  expect(await tablesWith(MARK)).toEqual(['public.cases']);
  // Until the worker looks, the id may still be queued for the search.
  await expect.poll(() => tablesWith(id)).toEqual(['public.audit_events', 'public.cases']);
});
