import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProviderTurnCipher } from '../../src/engine/model/provider-turn-cipher.ts';
import { openTranscript } from '../../src/engine/run-context/transcript.ts';
import { openJournal } from '../../src/engine/store/journal.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

const LEFT_OUT: Step = {
  toolsLeftOut: [{ name: 'tools.fail', reason: 'the provider refuses its schema' }],
};

let app: TestApp;
let api: ApiClient;
beforeAll(async () => {
  app = await startTestApp();
  api = apiClient(app.url);
});
afterAll(() => app.stop());

test('a tool that cannot be offered costs only itself, and is reported once', async () => {
  app.llm.script([LEFT_OUT, toolCall('tools.echo', { text: 'x' })], [LEFT_OUT, { text: 'Found it.' }], {
    text: 'In short.',
  });
  const id = await api.submit('Trouble');
  const ended = await api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Found it.' });
  const { session } = await api.query<{
    session: {
      timeline: { type: string; content: string; metadata: unknown }[];
      trace: { stages: { executions: { llmInteractions: { response: unknown }[] }[] }[] };
    };
  }>(
    `query ($id: ID!) { session(id: $id) { timeline { type content metadata }
       trace { stages { executions { llmInteractions { response } } } } } }`,
    { id },
  );
  const unoffered = [{ name: 'tools.fail', reason: 'the provider refuses its schema' }];
  expect(session.timeline.filter(({ type }) => type === 'ERROR')).toEqual([
    {
      type: 'ERROR',
      content: 'Tools not offered to the model:\n- tools.fail: the provider refuses its schema',
      metadata: { unoffered },
    },
  ]);
  for (const { response } of session.trace.stages[0]!.executions[0]!.llmInteractions) {
    expect(response).toMatchObject({ unoffered });
  }
  app.llm.assertNoUnusedScripts();
  expect(await knownToLaterRuns()).toEqual(new Set(['tools.fail']));
});

/** Returns the unoffered tools that a run which resumes the session knows as reported. */
async function knownToLaterRuns(): Promise<ReadonlySet<string>> {
  const pool = new Pool({ connectionString: app.database.url });
  try {
    const { rows } = await pool.query<{ sessionId: string; stageId: string; executionId: string }>(
      `select session_id as "sessionId", stage_id as "stageId", id as "executionId" from agent_executions`,
    );
    const { sessionId, ...ids } = rows[0]!;
    const masking = { maskArguments: (_: string, args: string) => args };
    const turnCipher = createProviderTurnCipher(Buffer.alloc(32));
    const publisher = { publish: async () => {} }; // nothing is announced
    const fence = { sessionId, attempt: 1 };
    const journal = openJournal({ db: pool, publisher, fence, logger: app.logger }, ids);
    const deps = { db: pool, journal, sessionId, ids, masking, turnCipher, isResumed: true };
    return (await openTranscript(deps)).unoffered;
  } finally {
    await pool.end();
  }
}
