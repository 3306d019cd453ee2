import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, insertSession, openApi } from '../../test/helpers/http-api.ts';

let api: Api;
const checks = { database: async () => {}, worker_pool: async () => {} };
beforeAll(async () => {
  api = await openApi({}, { checks, api: { introspection: true, graphiql: true }, version: '1.2.3' });
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers });

describe('/health', () => {
  it('names the parts of the process and their state only', async () => {
    const response = await get('/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'healthy',
      version: 'tarsy/1.2.3',
      checks: { database: { status: 'healthy' }, worker_pool: { status: 'healthy' } },
    });
  });

  it('answers for one part alone, because a restart does not repair the others', async () => {
    const broken = { ...checks, database: () => Promise.reject(new Error('away')) };
    const other = await openApi({}, { checks: broken });
    const [part, unknown] = [
      await fetch(`${other.url}/health?check=worker_pool`),
      await fetch(`${other.url}/health?check=nothing`),
    ];
    expect(part.status).toBe(200);
    expect(await part.json()).toMatchObject({ checks: { worker_pool: { status: 'healthy' } } });
    expect(unknown.status).toBe(400);
    expect(await unknown.text()).toContain('Available checks: database, worker_pool.');
    await other.close();
  });

  it('is 503 when a part fails or does not answer', async () => {
    for (const broken of [
      () => Promise.reject(new Error('secret host')),
      () => new Promise<void>(() => {}),
    ]) {
      const other = await openApi({}, { checks: { ...checks, database: broken }, healthTimeoutMs: 50 });
      const response = await fetch(`${other.url}/health`);
      const text = await response.text();
      await other.close();
      expect(response.status).toBe(503);
      expect(JSON.parse(text)).toMatchObject({
        status: 'unhealthy',
        checks: { database: { status: 'unhealthy' }, worker_pool: { status: 'healthy' } },
      });
      expect(text).not.toContain('secret');
    }
  });
});

// The second test needs the files of the first.
describe('the dashboard', { shuffle: false }, () => {
  const index = '<!doctype html><title>TARSy</title>';
  const script = 'console.log("tarsy");\n'.repeat(200);

  it('shows how to build it when it is not built, then serves it, then its next build', async () => {
    const missing = await get('/');
    expect(missing.status).toBe(503);
    expect(await missing.text()).toContain('npm run web:build');

    await mkdir(join(api.dashboardDir, 'assets'));
    await writeFile(join(api.dashboardDir, 'assets/app-1a2b.js'), script);
    await writeFile(join(api.dashboardDir, 'index.html'), index);
    const page = await get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(await page.text()).toBe(index);

    await rm(join(api.dashboardDir, 'assets/app-1a2b.js'));
    expect(await (await get('/assets/app-1a2b.js')).text()).toBe(script);
    await writeFile(join(api.dashboardDir, 'assets/app-3c4d.js'), script);
    await writeFile(join(api.dashboardDir, 'assets/app-3c4d.js.br'), brotliCompressSync(script));
    await writeFile(join(api.dashboardDir, 'index.html'), `${index}2`);
    await utimes(join(api.dashboardDir, 'index.html'), new Date(), new Date(Date.now() + 1000));
    expect(await (await get('/')).text()).toBe(`${index}2`);
    expect((await get('/assets/app-1a2b.js')).status).toBe(404);
  });

  it('serves its page at all its paths and caches files that never change', async () => {
    expect(await (await get('/sessions/123?tab=trace')).text()).toBe(`${index}2`);
    const asset = await get('/assets/app-3c4d.js', { 'accept-encoding': 'gzip, br' });
    expect(Object.fromEntries(asset.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(await asset.text()).toBe(script);
    const zipped = await get('/assets/app-3c4d.js', { 'accept-encoding': 'gzip' });
    expect([zipped.headers.get('content-encoding'), await zipped.text()]).toEqual(['gzip', script]);
    expect((await get('/assets/app-3c4d.js.br')).status).toBe(404);
    const again = await get('/assets/app-3c4d.js', { 'if-none-match': asset.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    // Proxies that compress a page mark its tag as weak, and browsers may send several.
    for (const tag of [`W/${asset.headers.get('etag')}`, `"old", W/${asset.headers.get('etag')}`])
      expect((await get('/assets/app-3c4d.js', { 'if-none-match': tag })).status).toBe(304);
    expect((await get('/assets/app-3c4d.js', { 'if-none-match': 'W/"old"' })).status).toBe(200);
    const plain = await get('/assets/app-3c4d.js', { 'accept-encoding': 'identity', range: 'bytes=9-3' });
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null]);
  });
});

describe('every response', () => {
  it.each(['/', '/health', '/graphql?query={alertTypes{name}}', '/missing.js'])(
    'at %s has the security headers',
    async (path) => {
      const { headers } = await get(path, { accept: '*/*' });
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      });
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(headers.get('access-control-allow-origin')).toBeNull();
      const id = headers.get('x-request-id');
      await expect
        .poll(() => api.logs.find((entry) => entry.correlationId === id))
        .toMatchObject({
          level: 20,
          method: 'GET',
          path: path.split('?')[0],
          msg: 'request',
        });
    },
  );
});

describe('GraphiQL', () => {
  it('is served in development, whole in one page', async () => {
    const page = await get('/graphql', { accept: 'text/html' });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("'unsafe-inline'");
    const text = await page.text();
    expect(text).toContain('TARSy API');
    expect(text).not.toMatch(/<(script|link)[^>]*(src|href)="?https?:/);
  });

  it('opens with a query that runs as it is', async () => {
    const text = await (await get('/graphql', { accept: 'text/html' })).text();
    const [, shown = ''] = /"defaultQuery":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: JSON.parse(shown) }),
    });
    expect(await response.json()).toMatchObject({ data: { sessions: { nodes: [] } } });
  });

  it('is not served otherwise', async () => {
    const other = await openApi();
    const page = await fetch(`${other.url}/graphql`, { headers: { accept: 'text/html' } });
    await other.close();
    expect(page.status).toBe(406);
    expect(page.headers.get('content-security-policy')).not.toContain("script-src 'unsafe-inline'");
  });
});

describe('close', () => {
  it('refuses new requests and resolves within its time limit', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const other = await openApi(
      {
        submitAlert: () => {
          begun.resolve();
          return held.promise as never;
        },
      },
      { closeLimitMs: 50 },
    );
    await insertSession(other.pool);
    const stuck = other
      .query('mutation { submitAlert(input: { data: "x" }) { __typename } }')
      .catch((error: unknown) => error);
    await begun.promise;
    await other.server.close();
    expect(await stuck).toBeInstanceOf(TypeError);
    await expect(fetch(`${other.url}/health`)).rejects.toThrow();
    held.resolve();
    await other.close();
  });

  it('says which address is not available', async () => {
    const other = await openApi();
    await other.server.close();
    await expect(other.server.listen('127.0.0.1', api.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await other.close();
  });
});
