import { afterEach, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
afterEach(() => app.stop());

test('a judge that does not answer within its time limit gives no score, and says so', async () => {
  app = await startTestApp({ defaults: { timeouts: { scoring: '1s' }, scoring: { enabled: true } } });
  const api = apiClient(app.url);
  app.llm.script({ text: 'The disk is full.' }, { text: 'In short: full.' }, { gate: 'never' });
  const id = await api.submit('disk of db-1 at 91%');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const score = async () => {
    const { session } = await api.query<{ session: { latestScore: object | null } }>(
      'query ($id: ID!) { session(id: $id) { latestScore { status total errorMessage } } }',
      { id },
    );
    return session.latestScore;
  };
  await expect.poll(score, { timeout: 60_000 }).toEqual({
    ...{ status: 'FAILED', total: null, errorMessage: 'The judge exceeded its time limit.' },
  });
}, 90_000);
