import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { decide, pendingApprovals } from '../helpers/approvals.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

interface Shown {
  readonly title: string;
  readonly body: string;
}
type Recorded = typeof globalThis & { shown: Shown[]; asked: number; hidden: boolean };

describe.skipIf(NO_BROWSER)(browserSuite('desktop notifications'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard({ tools: { allow_changes: false } });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    // Headless Chromium shows no notifications, so that the page's calls are recorded at the browser's interface.
    await page.addInitScript(() => {
      const recorded = globalThis as Recorded;
      Object.assign(recorded, { shown: [], asked: 0, hidden: false });
      class Recorder {
        static permission = localStorage.getItem('test.permission') ?? 'default';
        static requestPermission(): Promise<string> {
          recorded.asked += 1;
          Recorder.permission = 'granted';
          localStorage.setItem('test.permission', 'granted');
          return Promise.resolve('granted');
        }
        close(): void {}
        constructor(title: string, { body }: { body: string }) {
          recorded.shown.push({ title, body });
        }
      }
      Object.assign(globalThis, { Notification: Recorder });
      Object.defineProperty(document, 'visibilityState', {
        get: () => (recorded.hidden ? 'hidden' : 'visible'),
      });
    });
    await page.goto(dashboard.app.url);
    await page.getByText('Nothing running').waitFor();
  });
  afterEach(() => guarded.close());

  const shown = () => page.evaluate(() => (globalThis as Recorded).shown);
  const hide = () =>
    page.evaluate(() => {
      (globalThis as Recorded).hidden = true;
    });
  const turnOn = async () => {
    await page.getByRole('button', { name: 'Display settings' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Desktop notifications' }).click();
    await page.keyboard.press('Escape');
  };
  const api = () => apiClient(dashboard.app.url);
  /** Starts a session whose agent requests approval of `tools.note`. */
  const requestApproval = async (text: string) => {
    dashboard.app.llm.script(
      toolCall('tools.note', { text: 'restart' }),
      { text: 'It is done.' },
      { text: 'In short: done.' },
    );
    const id = await api().submit(text);
    await api().waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
    return id;
  };

  test('asks for permission only when turned on, and remembers the choice', async () => {
    expect(await page.evaluate(() => (globalThis as Recorded).asked)).toBe(0);
    await turnOn();
    expect(await page.evaluate(() => (globalThis as Recorded).asked)).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: 'Display settings' }).click();
    const item = page.getByRole('menuitemcheckbox', { name: 'Desktop notifications' });
    expect(await item.getAttribute('aria-checked')).toBe('true');
    expect(
      await page.getByRole('menuitemcheckbox', { name: 'Play a sound' }).getAttribute('aria-checked'),
    ).toBe('false');
  });

  test('name an approval and the end of the session in this tab, and only in the background', async () => {
    await turnOn();
    const seen = await requestApproval('Seen');
    await page.getByRole('link', { name: '1 waiting for approval' }).waitFor();
    const [first] = await pendingApprovals(api());
    await decide(api(), first!, false);
    await api().waitFor(seen, ({ status }) => ENDED.has(status));
    expect(await shown()).toEqual([]);

    await hide();
    const id = await requestApproval('Unseen');
    await expect.poll(shown).toEqual([{ title: 'Approval requested: tools.note', body: 'Unseen' }]);
    await expect.poll(() => page.title()).toMatch(/^\(1 to approve\)/);
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image\/svg/);

    // The open session's end is told, whatever its verdict.
    await page.goto(`${dashboard.app.url}/sessions/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Unseen' }).waitFor();
    await hide();
    const [second] = await pendingApprovals(api());
    await decide(api(), second!, true);
    await expect.poll(shown, { timeout: 30_000 }).toEqual([{ title: 'Completed: Unseen', body: '' }]);
    await expect.poll(() => page.title()).not.toMatch(/approve/);
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).not.toMatch(/^data:/);
  });
});
