import pg from 'pg';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { globalId, insertSession } from '../helpers/http-api.ts';
import { rememberAll } from '../helpers/memories.ts';
import { expectPageFits } from '../helpers/page-fit.ts';

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(NO_BROWSER)(browserSuite('memories on the dashboard'), { timeout: 120_000 }, () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let pool: pg.Pool;
  beforeAll(async () => {
    dashboard = await startDashboard();
    pool = new pg.Pool({ connectionString: dashboard.app.database.url, max: 2 });
    guarded = await dashboard.open();
  }, 180_000);
  afterAll(async () => {
    await guarded?.close();
    await pool?.end();
    await dashboard?.stop();
  });

  test('finds, edits, deprecates and deletes a memory, and links its uses to their sessions', async () => {
    const { page } = guarded;
    await pool.query('delete from memories');
    const used = await insertSession(pool, { title: 'Checkout is slow', status: 'COMPLETED' });
    const [first] = await rememberAll(pool, [
      { content: 'checkout is slow when its cache is cold' },
      { content: 'db-03 <b>fills</b> its disk on Mondays', confidence: 0.5 },
    ]);
    await pool.query(`insert into memory_sessions (memory_id, session_id, role) values ($1, $2, 'USE')`, [
      first,
      used,
    ]);
    await page.goto(`${dashboard.app.url}/review`);
    await page.getByRole('link', { name: 'Memory' }).click();
    const items: Locator = page.getByRole('list', { name: 'Memories' }).locator('> li');
    await expect.poll(() => items.count(), SOON).toBe(2);
    await page.getByText('db-03 <b>fills</b> its disk').waitFor(); // shown as text, not as markup
    await page.getByRole('button', { name: 'Given to agents in 1 session' }).click();
    await expectPageFits(page, 'memory');
    expect(await page.getByRole('link', { name: 'Checkout is slow' }).getAttribute('href')).toContain(
      '/sessions/',
    );
    await page.getByLabel('Search memories').fill('mondays disk');
    await expect.poll(() => items.count(), SOON).toBe(1);

    await page.getByRole('button', { name: /^Edit: db-03/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit memory' });
    await dialog.getByLabel('Content').fill('db-03 fills its disk on Mondays and Fridays');
    await dialog.getByLabel(/^Deprecated/).check();
    await expectPageFits(page, 'memory-edit', { whole: false });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No matching memories').waitFor();
    await page.getByRole('button', { name: 'Show deprecated memories' }).click();
    await page.getByText('Mondays and Fridays').waitFor();
    await page.getByRole('button', { name: /^Delete: db-03/ }).click();
    await page.getByRole('button', { name: 'Delete memory' }).click();
    await page.getByText('No matching memories').waitFor();
    expect((await pool.query('select content from memories')).rows).toHaveLength(1);
  });

  test('a session links to the memories that its agent received', async () => {
    const { page } = guarded;
    const { app } = dashboard;
    await rememberAll(pool, [{ content: 'checkout needs its cache' }, { content: 'db-09 has no swap' }]);
    app.llm.script({ text: 'The cache.' }, { text: 'In short: the cache.' });
    const api = apiClient(app.url);
    const id = await api.submit('checkout waits for its cache');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await page.goto(`${app.url}/sessions/${id}`);
    await page.getByRole('button', { name: /Recalled memories/ }).click();
    await page.getByRole('link', { name: /^Show (this memory|these \d+ memories)$/ }).click();
    const items = page.getByRole('list', { name: 'Memories' }).locator('> li');
    await items.filter({ hasText: 'checkout needs its cache' }).waitFor();
    expect(await items.filter({ hasText: 'db-09' }).count()).toBe(0);
    await pool.query(`delete from memories where content like 'checkout needs%'`);
    await page.reload();
    await page.getByText('deleted.').waitFor();
    await page.getByRole('button', { name: 'Show all memories' }).click();
    await items.filter({ hasText: 'db-09' }).waitFor();
  });

  test('a session shows similar sessions and their ratings', async () => {
    const { page } = guarded;
    const like = { title: 'Disk of db-03 is full', entities: ['host db-03'], final_analysis: 'Logs.' };
    await insertSession(pool, {
      ...like,
      status: 'COMPLETED',
      review_status: 'REVIEWED',
      rating: 'ACCURATE',
    });
    const id = await insertSession(pool, { ...like, status: 'COMPLETED' });
    await page.goto(`${dashboard.app.url}/sessions/${globalId('Session', id)}`);
    const similar = page.getByRole('region', { name: 'Similar sessions' });
    await similar.getByText('Right', { exact: true }).waitFor();
    await similar.getByText('85 % similar').waitFor();
    await expectPageFits(page, 'similar-sessions');
  });
});
