import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { findOauth2Proxy, type Oauth2Proxy, startOauth2Proxy } from '../helpers/oauth2-proxy.ts';

const program = findOauth2Proxy();

describe.skipIf(program === null)('behind a real oauth2-proxy (skipped where there is none)', () => {
  let app: TestApp;
  let proxy: Oauth2Proxy;
  beforeAll(async () => {
    app = await startTestApp({ auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
    proxy = await startOauth2Proxy(program!, app.url, { ana: 'correct horse' });
  });
  afterAll(async () => {
    await proxy?.stop();
    await app?.stop();
  });

  test('whom it let in is the author, and streams pass through it over a WebSocket', async () => {
    app.llm.otherwise({ text: 'The disk is full.' });
    const cookie = await proxy.login('ana', 'correct horse');
    // What a client claims about itself is taken away by the proxy.
    const ana = apiClient(proxy.url, {
      cookie,
      'x-forwarded-user': 'mallory',
      'x-forwarded-groups': 'admins',
    });
    const id = await ana.submit('disk full');
    expect((await ana.waitFor(id, ({ status }) => ENDED.has(status))).status).toBe('COMPLETED');
    const { session } = await ana.query<{ session: { author: string } }>(
      'query ($id: ID!) { session(id: $id) { author } }',
      { id },
    );
    expect(session.author).toBe('ana');
    // And what it leaves alone, the API does not believe.
    const forged = apiClient(proxy.url, { cookie, 'x-remote-group': 'admins' });
    await expect(forged.submit('disk full')).rejects.toThrow('UNAUTHENTICATED');
  });

  test('nobody comes in without a login', async () => {
    const nameless = await fetch(`${proxy.url}/graphql?query={__typename}`);
    expect(nameless.status).toBe(403);
    await expect(proxy.login('ana', 'wrong')).rejects.toThrow('401');
    const forged = apiClient(proxy.url, { 'x-forwarded-user': 'ana' });
    await expect(forged.submit('disk full')).rejects.toThrow();
  });
});

test('a program past the proxy is refused, whatever its headers say', async () => {
  const app = await startTestApp({ auth: { mode: 'proxy', trusted_proxies: ['192.0.2.1'] } });
  try {
    const forged = apiClient(app.url, { 'x-forwarded-user': 'ana', 'x-remote-user': 'ana' });
    await expect(forged.submit('disk full')).rejects.toThrow('UNAUTHENTICATED');
    await expect(
      forged.subscribe('subscription { sessionsChanged { session { id } } }').next(),
    ).rejects.toThrow();
  } finally {
    await app.stop();
  }
});
