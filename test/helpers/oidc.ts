import type { BrowserContext, Page } from 'playwright-core';
import { tokenCommand } from '../../src/start/token.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { freePort } from './free-port.ts';
import { CLIENT, type OpenIdProvider, signInAt, startOpenIdProvider } from './openid-provider.ts';

const PEOPLE = {
  ana: { email: 'ana@example.com', email_verified: true, groups: ['oncall', 'chess'] },
  vera: { email: 'vera@example.com', email_verified: true },
  eve: { email: 'ana@example.com', email_verified: false, groups: ['oncall'] },
};
const ROLES = {
  viewer: { users: ['*'] },
  responder: { groups: ['oncall'] },
  admin: { users: ['ada@example.com'] },
};

/** The application with an OpenID provider at which the users ana, vera and eve can sign in. */
export interface OidcApp {
  dashboard: Dashboard;
  provider: OpenIdProvider;
  url: string;
  /** Returns the viewer that the API sees for these cookies, or the HTTP status if access is refused. */
  viewer(cookie: string): Promise<unknown>;
  /** Creates a token with the scope PROVISION. */
  provisionToken(): Promise<string>;
  stop(): Promise<void>;
}

/** @param options `subPath`: path below which the application is served, as a proxy passes it on */
export async function startOidc({ lifetime = '8h', subPath = '' } = {}): Promise<OidcApp> {
  const [port, providerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}${subPath}`;
  const provider = await startOpenIdProvider(providerPort, url, PEOPLE);
  const dashboard = await startDashboard({
    system: { dashboard_url: url },
    access: { roles: ROLES, teams: null },
    auth: {
      mode: 'oidc',
      oidc: {
        issuer: provider.issuer,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        scopes: ['email', 'groups'],
        session_lifetime: lifetime,
      },
    },
    env: { HTTP_PORT: String(port), TARSY_KEY: Buffer.alloc(32, 7).toString('base64') },
  });
  return {
    dashboard,
    provider,
    url,
    async viewer(cookie) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify({ query: '{ viewer { name email role groups via } }' }),
      });
      const { data } = (await response.json()) as { data?: { viewer: unknown } };
      return response.status === 200 ? data!.viewer : response.status;
    },
    async provisionToken() {
      let secret = '';
      const io = { stdout: { write: (text: string) => (secret += text) }, stderr: { write: () => {} } };
      const env = { DATABASE_URL: dashboard.app.database.url, NODE_ENV: 'test' };
      await tokenCommand(['create', 'scim', '--scopes', 'PROVISION'], env, io);
      return secret.trim();
    },
    async stop() {
      await dashboard.stop();
      await provider.close();
    },
  };
}

/** A user with a browser of its own. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Signs in: from TARSy's page to the provider and back. */
  signIn(name?: string, path?: string): Promise<void>;
  /** Resolves once the page shows the viewer as signed in. */
  isIn(name?: string): Promise<void>;
  /** TARSy's cookies as a request header. */
  cookies(): Promise<string>;
  /** The cookie that the browser holds only while a sign-in runs. */
  beginning(): Promise<Cookie>;
  /** The text of a page that refuses access. */
  notice(): Promise<string>;
  /**
   * Signs in up to the last step, which fails because its cookie is missing. Restores the cookie and returns
   * the step's address.
   */
  callbackOf(name: string): Promise<string>;
  close(): Promise<void>;
}

type Cookie = Awaited<ReturnType<BrowserContext['cookies']>>[number];

export async function openVisitor({ dashboard, url }: OidcApp): Promise<Visitor> {
  const context = await dashboard.browser.newContext();
  const page = await context.newPage();
  const visitor: Visitor = {
    context,
    page,
    async signIn(name = 'ana', path = '/') {
      await page.goto(`${url}${path}`);
      await signInAt(page, name);
    },
    isIn: (name = 'ana') => page.getByTitle(`Signed in as\n${name}@example.com`).waitFor(),
    async cookies() {
      const own = (await context.cookies()).filter(({ name }) => name.startsWith('tarsy'));
      return own.map(({ name, value }) => `${name}=${value}`).join('; ');
    },
    async beginning() {
      const begun = (await context.cookies()).find(({ name }) => name.startsWith('tarsy-sign-in-'));
      if (begun === undefined) throw new Error('no sign-in was begun');
      return begun;
    },
    notice: () => page.locator('p').first().innerText(),
    async callbackOf(name) {
      await page.goto(url);
      await page.locator('input[name=login]').waitFor();
      const begun = await visitor.beginning();
      await context.clearCookies({ name: begun.name });
      await signInAt(page, name);
      await page.getByText('began in another browser').waitFor();
      await context.addCookies([begun]);
      return page.url();
    },
    close: () => context.close(),
  };
  return visitor;
}
