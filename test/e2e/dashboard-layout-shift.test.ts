import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Largest cumulative layout shift, a score without unit. Pages up to 0.1 count as stable. */
const MAX_SHIFT = 0.05;

/** A slow mobile network. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };

interface Paints {
  shift: number;
  /** The largest shifts with the elements that moved, for the message of a failure. */
  moved: string[];
  firstPaint: number;
  largestPaint: number;
}

/** Records shifts and paints from the start of each page. */
function record(): void {
  const seen = { shift: 0, moved: [] as string[], firstPaint: 0, largestPaint: 0 };
  Object.assign(globalThis, { seenPaints: seen });
  type Shift = PerformanceEntry & { value: number; sources: { node: Element | null }[] };
  const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('layout-shift', (entry) => {
    const { value, sources } = entry as Shift;
    seen.shift += value;
    const names = sources.map(({ node }) => (node?.textContent ?? '').slice(0, 30) || node?.nodeName);
    seen.moved.push(`${value.toFixed(4)} at ${Math.round(entry.startTime)} ms: ${names.join(' | ')}`);
  });
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-paint') seen.firstPaint = startTime;
  });
  observe('largest-contentful-paint', ({ startTime }) => {
    seen.largestPaint = startTime;
  });
}

const paintsOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { seenPaints: Paints }).seenPaints);

describe.skipIf(NO_BROWSER)(browserSuite('pages while they load'), { timeout: 180_000 }, () => {
  let dashboard: Dashboard;
  let id = '';
  let groupId = '';
  beforeAll(async () => {
    const rules = [{ name: 'quiet', match: ['severity="info"'], investigate: 'never' }];
    dashboard = await startDashboard({ intake: intakeConfig({ rules }) });
    const { app } = dashboard;
    const api = apiClient(app.url);
    app.llm.route('You are', toolCall('tools.echo', { text: 'sda 91 %' }), {
      text: Array.from({ length: 12 }, (_, n) => `- Disk sda${n} of db-${n} is full.`).join('\n'),
    });
    app.llm.otherwise({ text: 'The disk is full.' });
    for (const title of ['Disk of db-1 is full', 'Disk of db-2 is full', 'Disk of db-3 is full']) {
      id = await api.submit(title);
      await api.waitFor(id, ({ status }) => ENDED.has(status));
    }
    for (const group of ['a', 'b', 'c'])
      await sendDelivery(
        app.url,
        alertBody({ severity: 'info', group, fingerprint: group, title: `Backup ${group} is late` }),
      );
    const groups = await api.query<{ alertGroups: { nodes: { id: string }[] } }>(
      '{ alertGroups(first: 1) { nodes { id } } }',
    );
    groupId = groups.alertGroups.nodes[0]!.id;
  }, 180_000);
  afterAll(() => dashboard?.stop());

  const pages = [
    ['home', () => '/', 'Disk of db-1 is full'],
    ['session', () => `/sessions/${id}`, 'The disk is full.'],
    ['trace', () => `/sessions/${id}/trace`, 'TestAgent'],
    ['alerts', () => '/alerts', 'Backup a is late'],
    ['group', () => `/alerts/${groupId}`, 'Decisions'],
    ['approvals', () => '/approvals', 'No calls waiting for approval'],
    ['board', () => '/review', 'Disk of db-1 is full'],
    ['usage', () => '/system/usage', 'Tokens'],
    ['system', () => '/system', 'Alert sources'],
  ] as const;
  const loads = [
    { viewport: { width: 1440, height: 900 }, network: null },
    { viewport: { width: 1440, height: 900 }, network: SLOW },
    { viewport: { width: 390, height: 844 }, network: null },
  ];

  test.each(pages)('%s: nothing moves, on a fast and on a slow network', async (name, path, last) => {
    for (const { viewport, network } of loads) {
      const { page, close } = await dashboard.open({ viewport });
      await page.addInitScript(record);
      if (network !== null) {
        const session = await page.context().newCDPSession(page);
        await session.send('Network.emulateNetworkConditions', network);
      }
      await page.goto(`${dashboard.app.url}${path()}`);
      await page.getByText(last).first().waitFor();
      await page.waitForLoadState('networkidle');
      const { shift, moved, firstPaint, largestPaint } = await paintsOf(page);
      const where = `${name} at ${viewport.width} px, ${network === null ? 'fast' : 'slow'}`;
      process.stdout.write(
        `${where}: first paint ${Math.round(firstPaint)} ms, largest ${Math.round(largestPaint)} ms, shift ${shift.toFixed(4)}\n`,
      );
      expect.soft(shift, `${where}\n${moved.join('\n')}`).toBeLessThanOrEqual(MAX_SHIFT);
      await close();
    }
  });
});
