import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { findOauth2Proxy, type Oauth2Proxy, startOauth2Proxy } from '../helpers/oauth2-proxy.ts';
import { sendUnchanged } from '../helpers/raw-http.ts';

const program = findOauth2Proxy();

const suite = describe.skipIf(program === null);

suite.each(['compose', 'kustomize'] as const)(
  'behind a real oauth2-proxy configured as in %s (skipped if it is missing)',
  (settings) => {
    let app: TestApp;
    let proxy: Oauth2Proxy;
    beforeAll(async () => {
      app = await startTestApp({ auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
      proxy = await startOauth2Proxy(program!, app.url, { ana: 'correct horse' }, { settings });
    });
    afterAll(async () => {
      await proxy?.stop();
      await app?.stop();
    });

    test('the signed-in user is the author, and streams pass over a WebSocket', async () => {
      app.llm.otherwise({ text: 'The disk is full.' });
      const cookie = await proxy.login('ana', 'correct horse');
      // The proxy removes identity headers that a client sends.
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
      // The API ignores identity headers that the proxy does not remove.
      const forged = apiClient(proxy.url, { cookie, 'x-remote-group': 'admins' });
      await expect(forged.submit('disk full')).rejects.toThrow('UNAUTHENTICATED');
    });

    test('refuses access without a login', async () => {
      const nameless = await fetch(`${proxy.url}/graphql?query={__typename}`);
      expect(nameless.status).toBe(401);
      expect(nameless.headers.get('content-type')).toContain('application/json');
      await expect(proxy.login('ana', 'wrong')).rejects.toThrow('401');
      const forged = apiClient(proxy.url, { 'x-forwarded-user': 'ana' });
      await expect(forged.submit('disk full')).rejects.toThrow();
    });

    test('answers programs with 401, over a WebSocket too, and shows users the sign-in page', async () => {
      const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const key = Buffer.from('sixteen bytes!!!').toString('base64');
      const port = Number(new URL(proxy.url).port);
      const upgrade = await sendUnchanged(port, {
        path: '/graphql',
        headers: { ...socket, 'sec-websocket-key': key },
      });
      expect(upgrade.status).toBe(401);
      const page = await fetch(`${proxy.url}/sessions/1?x=2`);
      expect(page.status).toBe(403);
      const text = await page.text();
      expect(text).toContain('Sign in to TARSy');
      expect(text).toContain('name="rd" value="/sessions/1?x=2"');
    });

    test('monitoring systems reach only the intake, which checks their own credentials', async () => {
      const post = async (path: string) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-user': 'ana' };
        const sent = await sendUnchanged(Number(new URL(proxy.url).port), {
          method: 'POST',
          path,
          headers,
          body: '{}',
        });
        return { status: sent.status, isPage: sent.body.includes('Sign in to TARSy') };
      };
      // The source does not exist. TARSy itself answers, so the proxy lets webhooks through.
      expect(await post('/webhooks/prod?token=x')).toEqual({ status: 404, isPage: false });
      expect(await post('/webhooks/prod/v2/enqueue')).toEqual({ status: 404, isPage: false });
      for (const path of [
        '/webhooks',
        '/webhooks/%2e%2e',
        '/webhooks/x%2F..%2F..%2Fgraphql',
        '/webhooks/prod/more',
      ])
        expect(await post(path), path).toEqual({ status: 403, isPage: true });
    });

    test('health is public, and its path leads to nothing else', async () => {
      expect(await (await fetch(`${proxy.url}/health`)).json()).toMatchObject({ status: 'healthy' });
      // The proxy decides by the requested path alone, no matter what path a header claims.
      for (const name of ['x-forwarded-uri', 'x-original-uri']) {
        const headers = { [name]: '/health', 'x-forwarded-user': 'ana' };
        expect((await fetch(`${proxy.url}/graphql?query={__typename}`, { headers })).status).toBe(401);
        expect((await fetch(`${proxy.url}/sessions`, { headers })).status).toBe(403);
      }
      for (const path of ['/health/sessions', '/health%2F..%2Fsessions', '/healthy'])
        expect((await sendUnchanged(Number(new URL(proxy.url).port), { path })).status, path).toBe(403);
      expect((await fetch(`${proxy.url}/health`, { method: 'POST' })).status).toBe(403);
    });
  },
);

test('refuses a program that bypasses the proxy, whatever its headers say', async () => {
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
