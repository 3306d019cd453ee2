import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { insertLongSession } from '../helpers/long-session.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const LOADS = scaled(2, 7);

describe.skipIf(NO_BROWSER)(browserSuite('opening the dashboard'), () => {
  let dashboard: Dashboard;
  let session: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { url } = dashboard.app.database;
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    await seedHistory(pool, 200);
    await pool.end();
    session = await insertLongSession(url, 100);
  });
  afterAll(() => dashboard.stop());

  test.each([
    ['list', () => '/', '[data-row-link]'],
    ['session', () => `/sessions/${session}`, 'li[data-index="3"]'],
  ])('loads the %s in a browser with an empty cache', async (name, path, content) => {
    const readable: number[] = [];
    const largest: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const times = await open(dashboard.app.url + path(), content);
      readable.push(times.readable);
      largest.push(times.largest);
    }
    const figure = { unit: 'ms', baseline: null, baselineName: null };
    for (const [what, all] of [
      ['readable', readable],
      ['largest contentful paint', largest],
    ] as const) {
      const warm = all.slice(1); // the first load also starts the browser's processes
      expect(warm.every((ms) => ms > 0)).toBe(true);
      report({ ...figure, name: `dashboard: ${name}, ${what}, p50`, value: percentile(warm, 0.5) });
      report({ ...figure, name: `dashboard: ${name}, ${what}, slowest`, value: Math.max(...warm) });
    }
  });

  /**
   * Loads the page and measures when it is readable and when its largest element appears (ms since the
   * navigation began).
   */
  async function open(url: string, content: string): Promise<{ readable: number; largest: number }> {
    const { page, close } = await dashboard.open();
    await page.addInitScript((wanted) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(wanted) === null) return;
        observer.disconnect();
        // Marked after the frame that shows the content.
        requestAnimationFrame(() => performance.mark('readable'));
      });
      observer.observe(document, { childList: true, subtree: true });
    }, content);
    await page.goto(url);
    const mark = await page.waitForFunction(() => performance.getEntriesByName('readable')[0]?.startTime);
    await page.waitForLoadState('networkidle');
    const largest = await page.evaluate(
      () =>
        new Promise<number>((found) => {
          new PerformanceObserver((list) => found(list.getEntries().at(-1)!.startTime)).observe({
            type: 'largest-contentful-paint',
            buffered: true,
          });
        }),
    );
    const readable = Number(await mark.jsonValue());
    await close();
    return { readable, largest };
  }
});
