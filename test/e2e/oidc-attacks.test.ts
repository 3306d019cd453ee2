import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { documentFor } from '../helpers/documents.ts';
import { type OidcApp, openVisitor, startOidc, type Visitor } from '../helpers/oidc.ts';
import { type OpenIdProvider, signInAt } from '../helpers/openid-provider.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let app: OidcApp;
let visitor: Visitor;
beforeEach(async () => {
  visitor = await openVisitor(app);
});
afterEach(() => visitor.close());

describe.skipIf(NO_BROWSER)(browserSuite('a forged sign-in with an OpenID provider'), () => {
  beforeAll(async () => {
    app = await startOidc();
  });
  afterAll(() => app.stop());

  test("rejects a provider's token for another client, and one signed with another key", async () => {
    const forgeries: [string, Parameters<OpenIdProvider['forge']>][] = [
      ['audience', [(claims) => ({ ...claims, aud: 'another-program' })]],
      ['issuer', [(claims) => ({ ...claims, iss: 'https://evil.example' })]],
      ['nonce', [(claims) => ({ ...claims, nonce: 'of another sign-in' })]],
      ['expired', [(claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 3600 })]],
      ['signature', [(claims) => claims, 'another']],
    ];
    for (const [what, forgery] of forgeries) {
      await visitor.context.clearCookies();
      app.provider.forge(...forgery);
      await visitor.signIn();
      expect([what, await visitor.notice()]).toEqual([
        what,
        'The answer of the provider failed verification. Try again.',
      ]);
      expect(await visitor.cookies()).toBe('');
      app.provider.forge(null);
    }
    await visitor.context.clearCookies();
    await visitor.signIn(); // proves that the sign-in itself works
    await visitor.isIn();
  });

  test('refuses an unverified e-mail address of any user', async () => {
    await visitor.signIn('eve');
    expect(await visitor.notice()).toBe(
      'Sign-in refused: the provider has not verified your e-mail address.',
    );
    expect(await visitor.cookies()).toBe('');
  });

  test('refuses the name of an API token', async () => {
    app.provider.forge((claims) => ({ ...claims, email: 'token:ci' }));
    await visitor.signIn();
    expect(await visitor.notice()).toBe(
      'Sign-in refused: your name at the provider begins with "token:", which is reserved for API tokens.',
    );
    expect(await visitor.cookies()).toBe('');
    app.provider.forge(null);
  });

  test('must begin and end in the same browser, once', async () => {
    const back = await visitor.callbackOf('ana');
    const asked = app.provider.tokenRequests();
    // An attacker's callback address in a browser that began no sign-in.
    const victim = await openVisitor(app);
    await victim.page.goto(back);
    expect(await victim.notice()).toContain('began in another browser');
    // An attacker's callback address in a browser that began another sign-in.
    await victim.page.goto(app.url);
    await victim.page.locator('input[name=login]').waitFor();
    const own = await victim.cookies();
    await victim.page.goto(back);
    expect(await victim.notice()).toContain('began in another browser');
    expect(await victim.cookies()).toBe(own); // the sign-in of the victim continues
    await victim.close();
    expect(app.provider.tokenRequests()).toBe(asked);
    await visitor.page.goto(back);
    await visitor.isIn();
    const before = await visitor.cookies();
    await visitor.page.goto(back);
    expect(await visitor.notice()).toContain('already used');
    expect(app.provider.tokenRequests()).toBe(asked + 1);
    expect(await visitor.cookies()).toBe(before);
  });

  test('accepts only a cookie sealed by this server for this purpose', async () => {
    await visitor.page.goto(app.url);
    await visitor.page.locator('input[name=login]').waitFor();
    const begun = await visitor.beginning();
    await signInAt(visitor.page, 'ana');
    await visitor.isIn();
    const [own] = (await visitor.context.cookies()).filter(({ name }) => name === 'tarsy');
    const value = own!.value;
    expect(await app.viewer(`tarsy=${value}`)).toMatchObject({ name: 'ana@example.com' });
    const wrong = [
      `tarsy=${begun.value}`,
      `tarsy=${value.slice(0, 60)}${value[60] === 'A' ? 'B' : 'A'}${value.slice(61)}`,
      `tarsy=${value}; tarsy=${value}`, // one of the two cookies is not TARSy's own
      'tarsy=',
      'tarsy=eyJhbGciOiJub25lIn0.eyJ2YWx1ZSI6e319.',
      `tarsy-sign-in=${value}`,
    ];
    for (const cookie of wrong) expect([cookie, await app.viewer(cookie)]).toEqual([cookie, 401]);
    // Identity headers of a proxy are ignored in this mode.
    const spoofed = await fetch(`${app.url}/graphql?query={viewer{name}}`, {
      headers: { 'x-forwarded-user': 'ada', 'x-forwarded-email': 'ada@example.com', 'x-remote-user': 'ada' },
    });
    expect(spoofed.status).toBe(401);
  });

  test('issues a new cookie at sign-in, whatever the browser held before', async () => {
    const other = await openVisitor(app);
    await other.page.goto(app.url);
    await other.page.locator('input[name=login]').waitFor();
    const { name, value } = await other.beginning();
    const planted = { tarsy: 'known-to-others', [name]: value };
    await visitor.context.addCookies(
      Object.entries(planted).map((cookie) => ({ name: cookie[0], value: cookie[1], url: app.url })),
    );
    await visitor.signIn();
    await visitor.isIn();
    expect(await visitor.cookies()).not.toContain('known-to-others');
    expect(await app.viewer('tarsy=known-to-others')).toBe(401);
    // The sign-in creates a new session, so that the session known to the attacker stays signed out.
    expect(await app.viewer(`tarsy=${value}`)).toBe(401);
    await signInAt(other.page, 'vera');
    await other.isIn('vera');
    expect(await app.viewer(await visitor.cookies())).toMatchObject({ name: 'ana@example.com' });
    await other.close();
  });

  test('redirects to no other site', async () => {
    for (const path of ['/\\evil.example', '/%5cevil.example', '/.//evil.example']) {
      const [answer] = (await once(
        get({ port: new URL(app.url).port, path, headers: { accept: 'text/html', host: 'localhost' } }),
        'response',
      )) as [IncomingMessage];
      answer.resume();
      expect(answer.headers.location).toMatch(new RegExp(`^${app.url}/`));
    }
  });

  test('answers programs with 401, and redirects page requests to the provider', async () => {
    // Uses plain HTTP requests, because `fetch` declares that it is not a navigation.
    const asked = async (path: string, headers: Record<string, string>) => {
      const [answer] = (await once(get(`${app.url}${path}`, { headers }), 'response')) as [IncomingMessage];
      answer.resume();
      return [answer.statusCode, answer.headers.location?.split('?')[0] ?? null];
    };
    const authorize = `${app.provider.issuer}/auth`;
    expect(await asked('/sessions', { 'sec-fetch-mode': 'navigate' })).toEqual([302, authorize]);
    expect(await asked('/sessions', { accept: 'text/html' })).toEqual([302, authorize]);
    expect(await asked('/sessions', {})).toEqual([401, null]);
    expect(await asked('/assets/x.js', { 'sec-fetch-mode': 'no-cors' })).toEqual([401, null]);
    expect(await asked('/graphql?query={viewer{name}}', { accept: 'text/html' })).toEqual([401, null]);
    expect(await asked('/metrics', {})).toEqual([401, null]);
    expect((await asked('/health', {}))[0]).toBe(200);
    // Redirects to the configured address, because the cookie would be lost under another name of the server.
    const named = await asked('/sessions?a=b', {
      accept: 'text/html',
      host: `localhost:${new URL(app.url).port}`,
    });
    expect(named).toEqual([302, `${app.url}/sessions`]);
  });

  test('prevents pages of other sites from changing anything as the signed-in user', async () => {
    await visitor.signIn();
    await visitor.isIn();
    const cookie = await visitor.cookies();
    const post = async (document: string, headers: Record<string, string>) => {
      const body = JSON.stringify({ query: document });
      const { status } = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
      return status;
    };
    const mutations = Object.values(schema.getMutationType()!.getFields());
    expect(mutations.length).toBeGreaterThan(5);
    for (const field of mutations) {
      const document = documentFor('mutation', field);
      const json = { cookie, 'content-type': 'application/json' };
      expect(await post(document, { ...json, origin: 'https://evil.example' })).toBe(403);
      expect(await post(document, { ...json, origin: 'null' })).toBe(403);
      // Content types that a form can send without a preflight.
      expect(await post(document, { cookie, 'content-type': 'text/plain' })).toBe(415);
      const link = `${app.url}/graphql?query=${encodeURIComponent(document)}`;
      expect((await fetch(link, { headers: { cookie } })).status).toBe(405);
    }
  });
});
