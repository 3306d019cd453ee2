import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { type SignInProxy, startSignInProxy } from '../helpers/sign-in-proxy.ts';

vi.setConfig({ testTimeout: 120_000 });

const WHY = 'Requires the role responder. Your role is viewer.';
const ADA = { 'x-forwarded-user': 'ada' };

let dashboard: Dashboard;
let proxy: SignInProxy;
let guarded: GuardedPage;
let page: Page;

/**
 * Starts the dashboard with the given viewers.
 * @param more settings of `access`
 */
async function start(viewers: string[], more: { responder?: object; teams?: object } = {}): Promise<void> {
  const { responder = {}, ...access } = more;
  dashboard = await startDashboard({
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
    access: { roles: { viewer: { users: viewers }, responder, admin: { users: ['ada'] } }, ...access },
  });
  proxy = await startSignInProxy(dashboard.app.url, '401');
}

async function stop(): Promise<void> {
  await proxy.close();
  await dashboard.stop();
}

async function openAsAna(): Promise<void> {
  guarded = await dashboard.open({ reducedMotion: 'reduce' }, proxy.url);
  ({ page } = guarded);
  await page.goto(proxy.url);
  await page.getByRole('button', { name: 'Sign in as ana' }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/sign-in'); // another navigation would interrupt the sign-in
}

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard of a viewer'), () => {
  beforeAll(() => start(['*']));
  afterAll(stop);
  beforeEach(async () => {
    await openAsAna();
    await expectViewerKnown();
  });
  afterEach(() => guarded.close());

  /** Opens a page and waits until it knows the viewer. Until then, the page assumes all rights. */
  async function visit(path: string): Promise<void> {
    await page.goto(proxy.url + path);
    await expectViewerKnown();
  }

  async function expectViewerKnown(): Promise<void> {
    await page.getByTitle('Signed in as\nana\nRole: viewer').waitFor();
  }

  /** Asserts that the button gets the focus, explains why it is disabled, and does nothing. */
  async function expectRefused(button: Locator): Promise<void> {
    const address = page.url();
    await button.focus();
    await page.getByRole('tooltip').getByText(WHY).waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toBe(address);
    // Tab could reach another restricted button, which has the same tooltip.
    await button.evaluate((element) => (element as HTMLElement).blur());
    await page.mouse.move(0, 0); // under the mouse, the tooltip would open again
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
  }

  test('cannot submit, and sees why', async () => {
    await expectRefused(page.getByRole('button', { name: 'Submit alert' }));
    // Removes the focus, because keys pressed in a field would enter text instead of running shortcuts.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to sessions').waitFor();
    expect(await page.getByRole('dialog').getByText('Submit alert').count()).toBe(0);
    await visit('/submit');
    await page.getByText('You cannot submit alerts').waitFor();
    await page.getByText(WHY).waitFor();
  });

  test('can neither cancel nor ask', async () => {
    const ada = apiClient(dashboard.app.url, ADA);
    dashboard.app.llm.script([{ text: 'So far ' }, { gate: 'rights' }, { text: 'done.' }], {
      text: 'Summary.',
    });
    const id = await ada.submit('disk full');
    await dashboard.app.llm.reached('rights');
    await visit('/');
    await page
      .getByRole('link', { name: /disk full/ })
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);
    await visit(`/sessions/${encodeURIComponent(id)}`);
    await expectRefused(page.getByRole('button', { name: /^Cancel/ }));
    dashboard.app.llm.open('rights');
    await ada.waitFor(id, ({ status }) => ENDED.has(status));
    await page.getByRole('region', { name: 'Questions' }).getByText(WHY).waitFor();
    expect(await page.getByRole('textbox', { name: 'Question about this investigation' }).isDisabled()).toBe(
      true,
    );
    expect(await page.getByRole('link', { name: 'Submit again' }).count()).toBe(0);
  });

  test('sees silences and cannot create any', async () => {
    await visit('/alerts/silences');
    await page.getByText('No active silences').waitFor();
    await expectRefused(page.getByRole('button', { name: 'New silence' }));
  });

  test('has no admin pages', async () => {
    await visit('/system');
    await page.getByRole('heading', { name: 'MCP servers' }).waitFor();
    expect(await page.getByRole('link', { name: 'API tokens' }).count()).toBe(0);
    for (const path of ['tokens', 'audit', 'configuration']) {
      await visit(`/system/${path}`);
      await page.getByText('Requires the role admin. Your role is viewer.').waitFor();
    }
  });

  test('looks correct', async () => {
    await visit('/alerts/silences');
    await page.getByRole('button', { name: 'New silence' }).focus();
    await page.getByRole('tooltip').getByText(WHY).waitFor();
    await expectPageFits(page, 'viewer-silences');
    await visit('/system/tokens');
    await page.getByText('Only admins can open this page').waitFor();
    await expectPageFits(page, 'viewer-tokens');
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard of a user without a role'), () => {
  beforeAll(() => start(['bo']));
  afterAll(stop);
  beforeEach(openAsAna);
  afterEach(() => guarded.close());

  test('sees an explanation and advice in place of every page', async () => {
    const notice = page.getByText('You have no role on this server');
    await notice.waitFor();
    await page.goto(`${proxy.url}/system/tokens`);
    await notice.waitFor();
    await expectPageFits(page, 'no-role');
    await page.getByRole('button', { name: 'Sign in as another user' }).click();
    await page.getByText('Sign out at your sign-in provider').waitFor();
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard of a responder in a team'), () => {
  beforeAll(() =>
    start([], { responder: { users: ['ana'] }, teams: { shop: { users: ['ana'] }, other: {} } }),
  );
  afterAll(stop);
  beforeEach(openAsAna);
  afterEach(() => guarded.close());

  test("submits for the team, and sees the session's team", async () => {
    dashboard.app.llm.otherwise({ text: 'Nothing is wrong.' });
    await page.goto(`${proxy.url}/submit`);
    await page.getByRole('textbox', { name: /^Alert/ }).fill('disk of the shop full');
    await page.getByRole('combobox', { name: 'Team' }).click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['Alert type default', 'shop']);
    await page.getByRole('option', { name: 'shop' }).click();
    await page.getByRole('button', { name: 'Investigate' }).click();
    await page.waitForURL(/\/sessions\//);
    await page.locator('dt', { hasText: /^Team$/ }).waitFor();
    await page.locator('dd', { hasText: /^shop$/ }).waitFor();
  });
});
