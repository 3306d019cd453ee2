import { afterEach, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { addHint } from '../helpers/hints.ts';
import { claimedFact } from '../helpers/report.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
afterEach(() => app.stop());

interface Situation {
  summary: string;
  known: { text: string; citations: { source: string }[] }[];
  hypotheses: { text: string }[];
  hints: { text: string }[];
  waiting: { reason: string } | null;
  participants: { name: string; role: string; present: boolean }[];
  changes: { at: string; text: string; timelineEvent: { type: string; sequenceNumber: number } | null }[];
}

const SITUATION = `query ($id: ID!, $since: DateTime) { session(id: $id) { situation(since: $since) {
  summary known { text citations { source } } hypotheses { text } hints { text } waiting { reason }
  participants { name role present } changes { at text timelineEvent { type sequenceNumber } } } } }`;

async function situationOf(api: ApiClient, id: string, since: string | null = null): Promise<Situation> {
  const { session } = await api.query<{ session: { situation: Situation } }>(SITUATION, { id, since });
  return session.situation;
}

test('the situation tells who is here, what changed and what is known, only to those who may see the session', async () => {
  app = await startTestApp({
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
    access: {
      roles: { viewer: { users: ['*'] }, responder: { users: ['rex'] }, admin: { users: ['ada'] } },
      teams: { alpha: { users: ['rex', 'vera'] }, beta: { users: ['bob'] } },
    },
    defaults: { report: { enabled: true }, hypotheses: { enabled: true } },
  });
  const [rex, vera, bob] = ['rex', 'vera', 'bob'].map((user) =>
    apiClient(app.url, { 'x-forwarded-user': user }),
  ) as [ApiClient, ApiClient, ApiClient];
  const report = {
    ...{ verdict: 'ACTION_REQUIRED', headline: 'The disk is full.', confidence: 0.9, entities: ['var'] },
    claims: ['T1', 'T2', 'T3', 'T4', 'T5', 'T6'].map((source) => ({
      ...{ kind: 'OBSERVATION', text: 'Line 7 is there.' },
      citations: [{ source, quote: 'line 6\nline 7\nline 8' }],
      facts: [claimedFact('line', 'line', '7')],
    })),
  };
  app.llm.script(
    toolCall('tarsy.update_hypotheses', { hypotheses: [{ text: 'Logs fill it', state: 'PROPOSED' }] }),
    [{ text: 'Looking.' }, { gate: 'looking' }, toolCall('tools.count_lines', { n: 20 })],
    { text: 'var is full.' },
  );
  app.llm.otherwise(({ purpose }) =>
    purpose === 'report' ? toolCall('submit_report', report, 'r') : { text: 'Summary.' },
  );
  const id = await rex.submit('var is full', { team: 'alpha' });
  await app.llm.reached('looking');
  await addHint(rex, id, 'Look at\nthe rollout.');

  const events = vera.subscribe('subscription ($id: ID!) { sessionEvents(sessionId: $id) { __typename } }', {
    id,
  });
  await events.next();
  const running = await situationOf(vera, id);
  expect(running.summary).toMatch(/^Stage .*: TestAgent /);
  expect(running).toMatchObject({ known: [], waiting: null, hypotheses: [{ text: 'Logs fill it' }] });
  expect(running.hints).toEqual([{ text: 'Look at\nthe rollout.' }]);
  expect(running.participants).toEqual([
    { name: 'vera', role: 'VIEWER', present: true },
    { name: 'rex', role: 'hint', present: false },
  ]);
  expect(running.changes.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Hypothesis proposed: Logs fill it', 'Hint by rex: Look at the rollout.']),
  );
  expect(await bob.query(SITUATION, { id })).toEqual({ session: null });
  await events.return!();
  await expect
    .poll(async () => (await situationOf(rex, id)).participants)
    .toEqual([{ name: 'rex', role: 'hint', present: false }]);

  app.llm.open('looking');
  await rex.waitFor(id, ({ status }) => ENDED.has(status));
  const ended = await situationOf(rex, id, running.changes.at(-1)!.at);
  expect(ended.summary).toBe('Completed: The disk is full.');
  const call = ended.changes.find(({ text }) => text === 'Call of tools.count_lines ended.')!.timelineEvent!;
  expect(call.type).toBe('LLM_TOOL_CALL');
  // The report claims the same of six sources, and one of them shows it.
  expect(ended.known).toEqual([
    { text: 'Line 7 is there.', citations: [{ source: `T${call.sequenceNumber}` }] },
  ]);
  const texts = ended.changes.map(({ text }) => text);
  expect(texts).toContain('Report: The disk is full.');
  expect(texts).not.toContain('Hypothesis proposed: Logs fill it');
});
