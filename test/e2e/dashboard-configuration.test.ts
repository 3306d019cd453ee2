import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('the configuration page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard({ queue: { max_pending: 77 } });
    const pool = openTestPool(dashboard.app.database.url);
    const told = async () => (await pool.query('select 1 from running_configurations')).rows.length;
    await vi.waitUntil(async () => (await told()) === 1, SOON);
    await pool.query(
      `insert into running_configurations (process, version, described, seen_at)
       select 'other-worker:4711', 'tarsy/0', described || '{"queue.max_pending": 5}', now() + interval '1 hour'
       from running_configurations`,
    );
    await pool.end();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    return () => guarded.close();
  });

  test('shows values that differ from the defaults with their source, and all values on demand', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    await page
      .getByRole('navigation', { name: 'System' })
      .getByRole('link', { name: 'Configuration' })
      .click();
    const queue = page.getByRole('region', { name: 'queue' });
    await expect.poll(() => queue.innerText(), SOON).toMatch(/queue\.max_pending\s+77\s+\S+tarsy\.yaml:\d+/);
    expect(await page.getByText('queue.max_attempts').count()).toBe(0);
    await page.getByRole('button', { name: 'Show built-in values' }).click();
    await expect.poll(() => queue.innerText()).toMatch(/queue\.max_attempts\s+3\s+built in/);
    await page.getByRole('textbox', { name: 'Search keys, values and files' }).fill('scripted');
    await page.getByText('queue.max_pending').waitFor({ state: 'detached' });
    await page.getByText('defaults.llm_provider').waitFor();
    expect(new URL(page.url()).search).toBe('?builtin=1&q=scripted');
  });

  test('shows workers with different values, and the changes that the next start would apply', async () => {
    await page.goto(`${dashboard.app.url}/system/configuration`);
    await page.getByRole('button', { name: '1 value different' }).click();
    await page.getByText('queue.max_pending: here 77, worker 5').waitFor();
    const path = join(dashboard.app.configDir, 'tarsy.yaml');
    const written = await readFile(path, 'utf8');
    await writeFile(path, written.replace('77', '78'));
    await page.getByText('The configuration files changed after the start.').waitFor();
    await page.getByRole('button', { name: '1 value', exact: true }).click();
    await page.getByText('queue.max_pending: here 77, after restart 78').waitFor();
    await writeFile(path, 'queu: {}\n');
    await page.getByText('The next start will fail').waitFor();
    await page.getByText('unknown key, did you mean').waitFor();
    await writeFile(path, written);
    await page.getByText('The next start will fail').waitFor({ state: 'detached' });
  });

  test('looks correct', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${dashboard.app.url}/system/configuration`);
    await page.getByRole('button', { name: '1 value different' }).click();
    await expectPageFits(page, 'configuration');
    await page.goto(`${dashboard.app.url}/system/configuration?builtin=1&q=agents`);
    await page.getByText('agents.HostAgent.custom_instructions').waitFor();
    await expectPageFits(page, 'configuration-agents', { whole: false });
  });
});
