import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };
const VIEWER = '{ viewer { name } }';

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(NO_BROWSER)(browserSuite('the API tokens page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let pool: ReturnType<typeof openTestPool>;
  beforeAll(async () => {
    dashboard = await startDashboard({ role: 'api' });
    pool = openTestPool(dashboard.app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    await pool.query('delete from api_tokens');
    guarded = await dashboard.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    ({ page } = guarded);
    return () => guarded.close();
  });
  const items = () => page.getByRole('list', { name: 'API tokens' }).locator('> li');
  const dialog = () => page.getByRole('dialog');

  async function make(name: string, scope?: string): Promise<string> {
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog().getByLabel('Name').fill(name);
    if (scope !== undefined) await dialog().getByRole('checkbox', { name: scope }).click();
    await dialog().getByRole('button', { name: 'Create token' }).click();
    return dialog()
      .getByRole('region', { name: `Token ${name}` })
      .innerText();
  }

  test('creates a token, shows it once, and revokes it', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    await page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'API tokens' }).click();
    await page.getByText('No active API tokens').waitFor();
    const secret = await make('nightly', 'Submit alerts');
    expect(secret).toMatch(/^tarsy_\w{46}$/);
    await dialog().getByRole('button', { name: 'Copy token nightly' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), SOON).toBe(secret);
    await page.keyboard.press('Escape'); // Escape must not close the dialog, because the token would be lost
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    expect(await items().innerText()).toMatch(
      /^Valid\s+nightly\s+tarsy_\w{6}…\s+Read\s+Submit alerts\s+service token\s*, by api-client/,
    );
    expect(await items().innerText()).toContain('expires in 89 d');
    const program = apiClient(dashboard.app.url, { authorization: `Bearer ${secret}` });
    expect(await program.query(VIEWER)).toEqual({ viewer: { name: 'token:nightly' } });
    await items().getByText('last used').waitFor();
    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    await dialog().getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('No active API tokens').waitFor();
    await expect(program.query(VIEWER)).rejects.toThrow('UNAUTHENTICATED');
    await page.getByRole('button', { name: 'Show inactive tokens' }).click();
    await items().getByText('Revoked').waitFor();
    expect(new URL(page.url()).search).toBe('?ended=1');
  });

  test('shows errors at their fields', async () => {
    await page.goto(`${dashboard.app.url}/system/tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog().getByRole('checkbox', { name: 'Read', exact: false }).first().click();
    await dialog().getByRole('button', { name: 'Create token' }).click();
    await dialog().getByText('Enter a name.').waitFor();
    await dialog().getByText('Choose at least one permission.').waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), SOON)
      .toBe('true');
    await dialog().getByLabel('Name').fill('ci');
    await dialog().getByRole('checkbox').first().click();
    await dialog().getByLabel('Team').fill('nobody’s');
    await dialog().getByRole('button', { name: 'Create token' }).click();
    await expect.poll(() => dialog().getByLabel('Team').getAttribute('aria-invalid'), SOON).toBe('true');
    expect((await pool.query('select 1 from api_tokens')).rows).toEqual([]);
  });

  test("shows others' changes within a second", async () => {
    await page.goto(`${dashboard.app.url}/system/tokens`);
    await make('ci');
    await dialog().getByRole('button', { name: 'Done' }).click();
    await items().getByText('never used').waitFor();
    await pool.query('update api_tokens set revoked_at = now()');
    await page.getByText('No active API tokens').waitFor();
  });

  test('looks correct', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await pool.query(
      `insert into api_tokens (id, name, prefix, hash, scopes, created_by, created_at, expires_at, last_used_at, revoked_at)
       select gen_random_uuid(), 'token ' || n || repeat('x', n * 20), 'tarsy_abcdef', 'hash' || n,
         (array['READ','SUBMIT_ALERTS','CHAT','REVIEW','APPROVE','ADMIN'])[1:n], 'ana@example.com', now(),
         case n when 1 then null else now() + interval '3 days' end, now(), case n when 5 then now() end
       from generate_series(1, 5) n`,
    );
    await page.goto(`${dashboard.app.url}/system/tokens?ended=1`);
    await expect.poll(() => items().count(), SOON).toBe(5);
    await expectPageFits(page, 'tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog().getByLabel('Name').waitFor();
    await expectPageFits(page, 'token-form', { whole: false });
    await dialog().getByLabel('Name').fill('pictured');
    await dialog().getByRole('button', { name: 'Create token' }).click();
    await dialog().getByText('Copy the token now').waitFor();
    await expectPageFits(page, 'token-secret', { whole: false });
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke pictured' }).click();
    await dialog().getByText('cannot undo this').waitFor();
    await expectPageFits(page, 'token-revoke', { whole: false });
  });
});
