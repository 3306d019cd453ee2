import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
});
afterAll(() => app.stop());

test('sessions and questions carry the name of the user the proxy admitted, and other requests are refused', async () => {
  const stranger = apiClient(app.url);
  await expect(stranger.submit('disk full')).rejects.toThrow('UNAUTHENTICATED');

  app.llm.otherwise({ text: 'The disk is full.' });
  const ana = apiClient(app.url, { 'x-forwarded-user': 'ana', 'x-forwarded-groups': 'sre,oncall' });
  const id = await ana.submit('disk full');
  await ana.waitFor(id, ({ status }) => ENDED.has(status));
  const bot = apiClient(app.url, { 'x-forwarded-user': 'system:serviceaccount:ops:bot' });
  await bot.query(
    `mutation ($id: ID!) { sendChatMessage(input: { sessionId: $id, content: "Why?" }) { __typename } }`,
    { id },
  );
  const { session } = await bot.query<{ session: unknown }>(
    'query ($id: ID!) { session(id: $id) { author chat { createdBy messages { author } } } }',
    { id },
  );
  expect(session).toMatchObject({
    author: 'ana',
    chat: {
      createdBy: 'system:serviceaccount:ops:bot',
      messages: [{ author: 'system:serviceaccount:ops:bot' }],
    },
  });
});
