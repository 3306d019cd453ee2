import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const LOADS = scaled(2, 7);

describe.skipIf(NO_BROWSER)(browserSuite('opening the dashboard'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const pool = new pg.Pool({ connectionString: dashboard.app.database.url, max: 2 });
    await seedHistory(pool, 200);
    await pool.end();
  });
  afterAll(() => dashboard.stop());

  test('the list of sessions, by a browser that has nothing of it yet', async () => {
    const readable: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const { page, close } = await dashboard.open();
      await page.addInitScript(() => {
        const observer = new MutationObserver(() => {
          if (document.querySelector('[data-row-link]') === null) return;
          observer.disconnect();
          // After the frame that shows it.
          requestAnimationFrame(() => performance.mark('readable'));
        });
        observer.observe(document, { childList: true, subtree: true });
      });
      await page.goto(dashboard.app.url);
      const mark = await page.waitForFunction(() => performance.getEntriesByName('readable')[0]?.startTime);
      readable.push(Number(await mark.jsonValue()));
      await close();
    }
    // The first one also starts the browser's processes.
    const warm = readable.slice(1);
    expect(warm.every((ms) => ms > 0)).toBe(true);
    const figure = { unit: 'ms', baseline: null, baselineName: null };
    report({ ...figure, name: 'dashboard: list readable, p50', value: percentile(warm, 0.5) });
    report({ ...figure, name: 'dashboard: list readable, slowest', value: Math.max(...warm) });
  });
});
