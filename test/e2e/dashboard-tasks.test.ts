import type pg from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { seedHistory } from '../helpers/dashboard-data.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { insertSession } from '../helpers/http-api.ts';
import { claimedFact, insertReport } from '../helpers/report.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { type Hand, startTask, type Task } from '../helpers/task.ts';

/** A test may wait for an investigation whose model waits at a gate. */
vi.setConfig({ testTimeout: 120_000 });

/** Maximum number of actions that a task may require. */
const MOST_ACTIONS = 3;
const DAY_MS = 86_400_000;
const LOG = Array.from({ length: 30 }, (_, n) => `09:0${n % 10}:00 checkout[${n}]: pool exhausted`).join(
  '\n',
);

const claim = (text: string, quote: string, kind = 'OBSERVATION') => ({
  ...{ kind, text },
  citations: [{ source: 'T2', quote }],
  facts: [claimedFact('checkout[7]', 'pool', 'exhausted')],
});
const REPORT = {
  verdict: 'ACTION_REQUIRED',
  headline: 'The connection pool of checkout is exhausted.',
  confidence: 0.85,
  entities: ['service checkout'],
  claims: [
    claim('checkout[7] finds the pool exhausted.', 'checkout[7]: pool exhausted', 'CAUSE'),
    { ...claim('Who holds the connections is not known.', '', 'GAP'), citations: [], facts: [] },
  ],
};

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const WIDE = { viewport: { width: 1440, height: 900 } };
/** Name, window, hand, and the host whose alert is searched for. */
const WAYS: readonly (readonly [string, BrowserContextOptions, Hand, string])[] = [
  ['a wide window', WIDE, 'pointer', 'db-19'],
  ['a phone', PHONE, 'pointer', 'db-17'],
  ['a wide window by keyboard alone', WIDE, 'keyboard', 'db-16'],
];

describe.skipIf(NO_BROWSER)(browserSuite('common tasks'), () => {
  let dashboard: Dashboard;
  let pool: pg.Pool;
  let api: ApiClient;
  let guarded: GuardedPage;
  let page: Page;
  let gates = 0;
  let asked = 0;
  beforeAll(async () => {
    dashboard = await startDashboard({ defaults: { report: { enabled: true } } });
    api = apiClient(dashboard.app.url);
    pool = openTestPool(dashboard.app.database.url);
    await seedHistory(pool, 200, DAY_MS / 2);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  afterEach(() => guarded.close());

  /**
   * Runs an investigation with one successful and one failed call. If `gate` is given, the model waits there
   * before its last words.
   */
  async function investigate(
    alert: string,
    gate?: string,
  ): Promise<{ id: string; end: () => Promise<void> }> {
    dashboard.app.llm.script(
      [
        { thinking: 'The log first.' },
        toolCall('tools.echo', { text: LOG }, 'log'),
        toolCall('tools.fail', {}, 'metrics'),
      ],
      [
        { text: 'The pool of **checkout** is exhausted [T2]. ' },
        ...(gate === undefined ? [] : [{ gate }]),
        { text: 'Somebody has to look at who holds the connections.' },
      ],
      toolCall('submit_report', REPORT, 'report'),
      { text: 'checkout has no connections left.' },
    );
    const id = await api.submit(alert, { severity: 'CRITICAL' });
    const ended = () => api.waitFor(id, ({ status }) => ENDED.has(status));
    if (gate === undefined) await ended();
    else await dashboard.app.llm.reached(gate);
    return {
      id,
      async end() {
        dashboard.app.llm.open(gate!);
        await ended();
      },
    };
  }
  const newGate = (): string => `gate-${++gates}`;

  describe.each(WAYS)('in %s', (where, context, hand, host) => {
    beforeAll(async () => {
      await investigate(`Checkout has no connections (${where})`);
    });
    beforeEach(async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      guarded = await dashboard.open({ ...context, permissions, reducedMotion: 'reduce' });
      ({ page } = guarded);
    });

    const start = async (): Promise<Task> => {
      await page.goto(dashboard.app.url);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      return startTask(page, hand);
    };
    /** Each task starts at the list of sessions. */
    const sessionNamed = (name: string) => page.getByRole('link', { name }).first();
    const openFinished = (task: Task) => task.click(sessionNamed(`Checkout has no connections (${where})`));
    const verdict = () => page.getByRole('region', { name: 'Verdict' });
    const told: [string, number, number][] = [];
    function expectShort(name: string, task: Task): void {
      told.push([name, task.actions, Math.round(task.took())]);
      expect(task.actions, name).toBeLessThanOrEqual(MOST_ACTIONS);
    }
    afterAll(() => {
      for (const [name, actions, ms] of told)
        process.stdout.write(`${where}: ${name}: ${actions} actions, ${ms} ms\n`);
    });

    test('the verdict of a finished session', async () => {
      const task = await start();
      await openFinished(task);
      await task.expectSeen(verdict().getByText('Action required'), verdict().getByText(REPORT.headline));
      expectShort('verdict of a finished session', task);
    });

    test('the verdict of a session that has just ended', async () => {
      const { id, end } = await investigate('Just about to end', newGate());
      await page.goto(`${dashboard.app.url}/sessions/${encodeURIComponent(id)}`);
      await page.getByText('The pool of').waitFor();
      await end();
      const task = startTask(page);
      await task.expectSeen(verdict().getByText('Action required'), verdict().getByText(REPORT.headline));
      expectShort('verdict of one that has just ended', task);
    });

    test('the status of a running session without a verdict', async () => {
      const { end } = await investigate(`Still at work (${where})`, newGate());
      const task = await start();
      await task.click(sessionNamed(`Still at work (${where})`));
      await task.expectSeen(
        page.locator('header').getByText('Running').first(),
        page.getByText('The pool of'),
      );
      await page.getByText('No verdict yet').waitFor();
      expectShort('verdict of a running session', task);
      await end();
    });

    test('the evidence of the verdict', async () => {
      const task = await start();
      await openFinished(task);
      const quote = verdict().getByRole('link', { name: /checkout\[7\]: pool exhausted/ });
      await task.expectSeen(verdict().getByText(REPORT.claims[0]!.text), quote);
      await task.click(quote);
      await task.expectSeen(page.getByRole('dialog').locator('mark').first());
      expectShort('proof of the verdict', task);
    });

    test('unmeasured facts', async () => {
      const task = await start();
      await openFinished(task);
      await task.expectSeen(
        page.getByText('Based on 2 tool calls (1 failed).'),
        page.getByText('Who holds the connections is not known.'),
      );
      expectShort('unmeasured facts', task);
    });

    test("last week's disk alert of a host", async () => {
      const lastWeek = await seedDisks(pool, host);
      const task = await start();
      await task.write(page.getByRole('textbox', { name: 'Search history' }), `disk ${host}`);
      const row = page.getByRole('link', { name: lastWeek });
      await task.expectSeen(row);
      await task.click(row);
      await task.expectSeen(verdict().getByText('Action suggested'));
      expectShort('last week’s disk alert of one host', task);
    });

    test('stopping a session', async () => {
      const gate = newGate();
      dashboard.app.llm.script([{ text: 'Looking. ' }, { gate }]);
      const id = await api.submit('To be stopped');
      await dashboard.app.llm.reached(gate);
      const task = await start();
      await task.click(page.getByRole('button', { name: 'Cancel To be stopped' }));
      await task.click(page.getByRole('button', { name: 'Cancel investigation' }));
      await api.waitFor(id, ({ status }) => status === 'CANCELLED');
      expectShort('cancel', task);
    });

    test('asking about a session', async () => {
      dashboard.app.llm.otherwise({ text: 'Since nine o’clock.' });
      const task = await start();
      await openFinished(task);
      await task.click(page.getByRole('button', { name: 'Ask a question' }));
      // Types without a click, because the field already has the focus.
      await page.keyboard.type('Since when?');
      await task.press('Enter');
      await task.expectSeen(page.getByRole('region', { name: 'Questions' }).getByText('Since when?'));
      expectShort('ask', task);
      // Waits for the answer, because an answer that is still to come would consume the next investigation's
      // script.
      const answered = `select 1 from stages where type = 'CHAT' and completed_at is not null`;
      asked += 1;
      await expect.poll(async () => (await pool.query(answered)).rowCount, { timeout: 60_000 }).toBe(asked);
    });

    test('sharing one line of a log', async () => {
      const opening = await start();
      await openFinished(opening);
      await opening.click(page.getByRole('button', { name: /tools\.echo/ }));
      const task = startTask(page, hand);
      if (hand === 'keyboard') {
        // Line numbers are no Tab stops, because a log may have thousands.
        await task.click(page.getByRole('button', { name: 'Open result full screen' }).first());
        await task.write(page.getByRole('searchbox', { name: 'Find in result' }), 'checkout[11]');
        await task.click(page.getByRole('button', { name: 'Copy link to this line' }));
      } else await task.click(page.getByRole('link', { name: 'Copy link to line 12' }));
      await page.getByText('Link to line 12 copied').waitFor();
      expectShort('share one line of a log', task);
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(link).toMatch(/#event-\d+-line-12$/);
      await page.goto('about:blank');
      await page.goto(link);
      const line = page.locator('[data-line="12"]').locator('..');
      await startTask(page).expectSeen(line);
      const ground = (of: typeof line) => of.evaluate((element) => getComputedStyle(element).backgroundColor);
      const usual = await ground(page.locator('[data-line="11"]').locator('..'));
      await expect.poll(() => ground(line)).not.toBe(usual);
    });

    test('exporting a session', async () => {
      const task = await start();
      await openFinished(task);
      await task.click(page.getByRole('button', { name: 'Export' }));
      await task.click(page.getByRole('menuitem', { name: 'Copy Markdown' }));
      await page.getByText('Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(REPORT.headline);
      expectShort('export', task);
    });
  });
});

/**
 * Inserts disk alerts: one of another host today, and two of the given host, last week and months ago.
 * Returns the title of last week's.
 */
async function seedDisks(pool: pg.Pool, host: string): Promise<string> {
  const disk = async (of: string, days: number): Promise<string> => {
    const title = `Disk of ${of} is 94 % full (${days} days ago)`;
    const at = new Date(Date.now() - days * DAY_MS);
    const times = { created_at: at, started_at: at, completed_at: new Date(at.getTime() + 60_000) };
    const id = await insertSession(pool, { alert_data: title, status: 'COMPLETED', ...times });
    await insertReport(pool, id, { verdict: 'ACTION_SUGGESTED' });
    return title;
  };
  for (const days of [1, 6, 90]) await disk('db-18', days);
  await disk(host, 120);
  return disk(host, 6);
}
