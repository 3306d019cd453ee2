import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', env: { METRICS_PORT: '0' } });
});
afterAll(() => app.stop());

test.each([
  [
    'llm_service',
    'An API process calls no model: ask a worker at its METRICS_PORT. This process has: database',
  ],
  [
    'worker_pool',
    'An API process runs no session: ask a worker at its METRICS_PORT. This process has: database',
  ],
])('an API process says that it has no check %s, and which process has', async (check, message) => {
  for (const url of [app.url, app.app.metricsUrl]) {
    const response = await fetch(`${url}/health?check=${check}`);
    expect(response.status).toBe(404);
    const { errors } = (await response.json()) as { errors: object[] };
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'CHECK_ELSEWHERE' } },
    ]);
  }
});

test('a check that no process has is a wrong request', async () => {
  const response = await fetch(`${app.url}/health?check=nothing`);
  expect(response.status).toBe(400);
  expect((await fetch(`${app.url}/health`)).status).toBe(200);
});
