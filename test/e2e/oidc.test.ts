import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { type OidcApp, openVisitor, startOidc, type Visitor } from '../helpers/oidc.ts';
import { signInAt } from '../helpers/openid-provider.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let app: OidcApp;
let visitor: Visitor;
beforeEach(async () => {
  visitor = await openVisitor(app);
});
afterEach(() => visitor.close());

describe.skipIf(NO_BROWSER)(browserSuite('signing in with an OpenID provider'), () => {
  beforeAll(async () => {
    app = await startOidc();
  });
  afterAll(() => app.stop());

  test('admits users known to the provider, with roles from their groups', async () => {
    await visitor.signIn();
    await visitor.isIn();
    expect(visitor.page.url()).toBe(`${app.url}/`);
    expect(await app.viewer(await visitor.cookies())).toEqual({
      ...{ name: 'ana@example.com', email: 'ana@example.com', role: 'RESPONDER', via: 'OIDC' },
      groups: ['oncall'], // no role depends on chess
    });
    // Scripts cannot read the cookie, other sites cannot send it, and the cookie of the running sign-in is
    // gone.
    const own = (await visitor.context.cookies()).filter(({ name }) => name.startsWith('tarsy'));
    expect(own).toMatchObject([{ name: 'tarsy', httpOnly: true, sameSite: 'Lax', path: '/' }]);
    const parts = own[0]!.value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(`${own[0]!.value} ${parts.join(' ')}`).not.toContain('oncall');
  });

  test('returns to the requested page', async () => {
    await visitor.signIn('vera', '/?status=FAILED&search=disk%20full');
    await visitor.isIn('vera');
    expect(visitor.page.url()).toBe(`${app.url}/?status=FAILED&search=disk%20full`);
    expect(await app.viewer(await visitor.cookies())).toMatchObject({
      name: 'vera@example.com',
      role: 'VIEWER',
    });
  });

  test('returns each of several tabs that sign in at once to its own page', async () => {
    const paths = ['/alerts?state=FIRING', '/usage', '/?status=FAILED'];
    const tabs = [visitor.page, await visitor.context.newPage(), await visitor.context.newPage()];
    for (const [at, tab] of tabs.entries()) {
      await tab.goto(`${app.url}${paths[at]}`);
      await tab.locator('input[name=login]').waitFor();
    }
    for (const [at, tab] of tabs.entries()) {
      await tab.locator('input[name=login]').fill('ana');
      await tab.locator('input[name=password]').fill('any');
      await tab.locator('button[type=submit]').click();
      if (at === 0) await tab.getByRole('button', { name: 'Continue' }).click(); // asked once
      await tab.getByTitle('Signed in as\nana@example.com').waitFor();
      expect(tab.url()).toBe(`${app.url}${paths[at]}`);
    }
    expect(await visitor.cookies()).toMatch(/^tarsy=[^;]+$/);
  });

  test('streams live events by the cookie, only to pages of its own origin', async () => {
    await visitor.signIn();
    await visitor.isIn();
    const cookie = await visitor.cookies();
    const connect = async (headers: Record<string, string>) => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers,
      });
      const closed = once(socket, 'close').then(([code]) => code as number);
      const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number);
      socket.on('error', () => {});
      socket.on('open', () => socket.send('{"type":"connection_init"}'));
      const acknowledged = once(socket, 'message').then(() => 'open' as const);
      const came = await Promise.race([closed, refused, acknowledged]);
      socket.terminate();
      return came;
    };
    expect(await connect({ cookie, origin: app.url })).toBe('open');
    expect(await connect({ cookie, origin: 'https://evil.example' })).toBe(4403);
    expect(await connect({ origin: app.url })).toBe(401);
    const stream = (headers: Record<string, string>) =>
      fetch(
        `${app.url}/graphql?query=${encodeURIComponent('subscription { sessionsChanged { session { id } } }')}`,
        {
          headers: { accept: 'text/event-stream', cookie, ...headers },
          signal: AbortSignal.timeout(30_000),
        },
      );
    const open = await stream({ origin: app.url });
    expect(open.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await open.body!.cancel();
    expect((await stream({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await stream({ cookie: '' })).status).toBe(401);
  });

  test('signs out here and at the provider', async () => {
    await visitor.signIn();
    await visitor.isIn();
    const foreign = await fetch(`${app.url}/auth/sign-out`, {
      method: 'POST',
      headers: { cookie: await visitor.cookies(), origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(
      (await fetch(`${app.url}/auth/sign-out`, { headers: { cookie: await visitor.cookies() } })).status,
    ).toBe(405);
    await visitor.page.getByRole('button', { name: 'Display settings' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await expectPageFits(visitor.page, 'sign-out', { whole: false });
    await visitor.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await visitor.page.getByRole('button', { name: /sign me out/i }).click();
    // Redirected to TARSy, and from there to the provider, which asks for a sign-in again.
    await visitor.page.locator('input[name=login]').waitFor();
    expect(await visitor.cookies()).not.toMatch(/(^| )tarsy=/);
    await signInAt(visitor.page, 'vera');
    await visitor.isIn('vera');
  });

  test('continues to work when the provider changes its keys', async () => {
    await visitor.signIn();
    await visitor.isIn();
    await app.provider.rotateKeys();
    await visitor.page.reload();
    await visitor.isIn();
    await visitor.context.clearCookies();
    await visitor.signIn('vera');
    await visitor.isIn('vera');
  });

  test('admits users of a provider whose clock is some seconds ahead', async () => {
    const ahead = () => Math.floor(Date.now() / 1000) + 10;
    app.provider.forge((claims) => ({ ...claims, iat: ahead(), nbf: ahead() }));
    try {
      await visitor.signIn();
      await visitor.isIn();
    } finally {
      app.provider.forge(null);
    }
  });

  test('signed-in users continue while the provider is unavailable, and others see an error', async () => {
    await visitor.signIn();
    await visitor.isIn();
    const other = await openVisitor(app);
    const back = await other.callbackOf('vera');
    app.provider.goAway(true);
    await visitor.page.reload();
    await visitor.isIn();
    await other.page.goto(back);
    expect(await other.notice()).toContain('is unavailable');
    app.provider.goAway(false);
    await other.page.getByRole('link', { name: 'Try again' }).click();
    await other.isIn('vera');
    await other.close();
  });

  test('ends the sign-ins of a user who leaves a group, and refuses one without access', async () => {
    const secret = await app.provisionToken();
    const scim = async (method: string, path: string, body: object): Promise<{ id: string }> => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' };
      const answer = await fetch(`${app.url}/scim/v2${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { id: string };
    };
    await visitor.signIn('vera');
    await visitor.isIn('vera');
    const before = await visitor.cookies();
    const { id } = await scim('POST', '/Users', { userName: 'vera@example.com' });
    const group = await scim('POST', '/Groups', { displayName: 'oncall', members: [{ value: id }] });
    expect(await app.viewer(before)).toMatchObject({ name: 'vera@example.com' });
    await scim('PUT', `/Groups/${group.id}`, { displayName: 'oncall', members: [] });
    expect(await app.viewer(before)).toBe(401);
    await visitor.page.goto(app.url); // the provider still knows the browser
    await visitor.isIn('vera');
    expect(await app.viewer(await visitor.cookies())).toMatchObject({ name: 'vera@example.com' });
    await scim('PUT', `/Users/${id}`, { userName: 'vera@example.com', active: false });
    expect(await app.viewer(await visitor.cookies())).toBe(401);
    await visitor.page.goto(app.url);
    expect(await visitor.notice()).toBe('Sign-in refused: your access to TARSy was ended.');
    await scim('PUT', `/Users/${id}`, { userName: 'vera@example.com', active: true }); // other tests sign in as vera
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('a provider that is unavailable from the start'), () => {
  beforeAll(async () => {
    app = await startOidc();
  });
  afterAll(() => app.stop());

  test('is retried', async () => {
    app.provider.goAway(true);
    await visitor.page.goto(app.url);
    expect(await visitor.notice()).toBe('The sign-in provider is unavailable. Try again in a moment.');
    await expectPageFits(visitor.page, 'not-signed-in');
    app.provider.goAway(false);
    await visitor.page.getByRole('link', { name: 'Try again' }).click();
    await signInAt(visitor.page, 'ana');
    await visitor.isIn();
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('a sign-in at the end of its lifetime'), () => {
  beforeAll(async () => {
    app = await startOidc({ lifetime: '20s' });
  });
  afterAll(() => app.stop());

  test('ends with everything it opened, and a new one returns to the same place', async () => {
    await visitor.signIn('ana', '/submit?x=1');
    await visitor.isIn();
    const cookie = await visitor.cookies();
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { cookie },
    });
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1012);
    expect(await app.viewer(cookie)).toBe(401); // refused even if a browser still had the cookie
    await visitor.page.getByText('this page no longer updates').waitFor({ timeout: 30_000 });
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.isIn();
    expect(visitor.page.url()).toBe(`${app.url}/submit?x=1`);
  });
});
