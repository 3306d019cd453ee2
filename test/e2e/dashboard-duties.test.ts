import type pg from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../helpers/deliveries.ts';
import { insertRow, insertSession } from '../helpers/http-api.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { type Hand, startTask, type Task } from '../helpers/task.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Maximum number of actions that a task may require. */
const MOST_ACTIONS = 3;
const WAYS: readonly (readonly [string, BrowserContextOptions, Hand])[] = [
  ['a wide window', { viewport: { width: 1440, height: 900 } }, 'pointer'],
  ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, 'pointer'],
  ['a wide window by keyboard alone', { viewport: { width: 1440, height: 900 } }, 'keyboard'],
];

/** Tasks beside reading an investigation: approve, silence, see who changed something, see the cost. */
describe.skipIf(NO_BROWSER)(browserSuite('duties'), () => {
  let dashboard: Dashboard;
  let pool: pg.Pool;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard({
      tools: { allow_changes: false },
      intake: intakeConfig({ rules: [{ name: 'waits', match: [], group_wait: '1h' }] }),
    });
    pool = openTestPool(dashboard.app.database.url);
    const session_id = await insertSession(pool, {
      status: 'COMPLETED',
      cost_usd: 0.42,
      total_tokens: 70_000,
    });
    await insertRow(pool, 'llm_interactions', {
      ...{ session_id, type: 'ITERATION', provider: 'p', model_name: 'claude-opus-5', duration_ms: 1 },
      ...{ request: '{}', response: '{}', total_tokens: 70_000, cost_usd: 0.42 },
    });
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  afterEach(() => guarded.close());

  describe.each(WAYS)('in %s', (where, context, hand) => {
    const api = () => apiClient(dashboard.app.url);
    beforeEach(async () => {
      guarded = await dashboard.open({ ...context, reducedMotion: 'reduce' });
      ({ page } = guarded);
    });

    async function start(path = '/'): Promise<Task> {
      await page.goto(`${dashboard.app.url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      return startTask(page, hand);
    }
    const inMenu = (name: string) => page.getByRole('link', { name, exact: true }).first();

    test('approving a call', async () => {
      dashboard.app.llm.script(
        toolCall('tools.note', { text: `restart db-1 (${where})` }, 'change'),
        { text: 'It is done.' },
        { text: 'In short.' },
      );
      const id = await api().submit(`Disk of db-1 is full (${where})`);
      await api().waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
      const task = await start();
      await task.click(page.getByRole('link', { name: '1 waiting for approval' }));
      await task.click(page.getByRole('button', { name: 'Approve tools.note' }));
      const dialog = page.getByRole('dialog', { name: 'Run tools.note?' });
      await dialog.getByText('restart db-1').first().waitFor();
      await task.click(dialog.getByRole('button', { name: 'Approve and run' }));
      await api().waitFor(id, ({ status }) => status === 'COMPLETED');
      expect(task.actions).toBeLessThanOrEqual(MOST_ACTIONS);
    });

    test('silencing an alert with a preview', async () => {
      const host = `db-${WAYS.findIndex(([name]) => name === where)}`;
      const alert = { group: host, fingerprint: host, title: `DNS of ${host}`, labels: { host } };
      await sendDelivery(dashboard.app.url, alertBody(alert));
      const { rows } = await pool.query('select id from alert_groups where title = $1', [alert.title]);
      const task = await start(`/alerts/${rows[0].id}`);
      await task.click(page.getByRole('button', { name: 'Silence' }).first());
      const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
      await dialog.getByText('1 firing alert in 1 group.').waitFor();
      await task.write(dialog.getByLabel('Comment'), 'Planned work');
      await task.click(dialog.getByRole('button', { name: 'Silence' }));
      await page.getByText('Planned work').first().waitFor();
      expect(task.actions).toBeLessThanOrEqual(MOST_ACTIONS);
    });

    test('seeing who changed something', async () => {
      const { createSilence } = await api().query<{ createSilence: { silence: { id: string } } }>(
        `mutation ($input: CreateSilenceInput!) { createSilence(input: $input) { ... on CreateSilenceSuccess { silence { id } } } }`,
        {
          input: {
            matchers: [`of="${where}"`],
            ...{ comment: 'Moving the disks', endsAt: new Date(Date.now() + 3_600_000).toISOString() },
          },
        },
      );
      expect(createSilence.silence.id).toBeDefined();
      const task = await start();
      await task.click(inMenu('System'));
      await task.click(
        page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'Audit log' }),
      );
      const newest = page.getByRole('list', { name: 'Audit events' }).locator('> li').first();
      await newest.getByText('silence.create').waitFor();
      await newest.getByText('api-client').first().waitFor();
      expect(task.actions).toBeLessThanOrEqual(MOST_ACTIONS);
    });

    test('seeing the cost', async () => {
      const task = await start();
      await task.click(inMenu('System'));
      await task.click(page.getByRole('navigation', { name: 'System' }).getByRole('link', { name: 'Usage' }));
      await page.getByRole('table').filter({ hasText: 'Sessions' }).first().waitFor();
      await page.getByText('$0.42', { exact: false }).first().waitFor();
      expect(task.actions).toBeLessThanOrEqual(MOST_ACTIONS);
    });
  });
});
