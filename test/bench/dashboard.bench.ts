import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { insertLongSession, lengthenSession } from '../helpers/long-session.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

/** Duration of a run (s). Even a short run shows a slowdown by a factor of ten. */
const SECONDS = scaled(3, 10, 60);
const CHUNKS_A_SECOND = 200;
/** The server sends each agent's text at most every 25 ms, so five agents produce 200 pieces a second. */
const AGENTS = 5;
const EVENTS_BEFORE = 2_000;
const OPENED_EVENTS = 5_000;
const OPENINGS = 5;

const figure = (name: string, value: number, unit: string) =>
  report({ name, value, unit, baseline: null, baselineName: null });

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    const names = Array.from({ length: AGENTS }, (_, n) => `Agent${n}`);
    dashboard = await startDashboard({
      agents: Object.fromEntries(names.map((name) => [name, { custom_instructions: `You are ${name}.` }])),
      stages: [{ name: 'look', agents: names.map((name) => ({ name })) }],
    });
  });
  afterAll(() => dashboard.stop());

  test('streaming into a long session', async () => {
    const { app } = dashboard;
    const { page, close } = await dashboard.open();
    const words = paragraphs((SECONDS * CHUNKS_A_SECOND) / AGENTS);
    const steps = words.flatMap((text) => [{ text }, { waitMs: (1000 * AGENTS) / CHUNKS_A_SECOND }]);
    app.llm.otherwise([{ gate: 'watched' }, ...steps, { gate: 'measured' }]);
    const id = await apiClient(app.url).submit('Stream');
    await app.llm.reached('watched', AGENTS);
    await lengthenSession(app.database.url, id, EVENTS_BEFORE);
    const empty = await frames(page, 2_000);
    const pieces = countPieces(page);
    await page.goto(`${app.url}/sessions/${id}`);
    await page.locator(`#event-${EVENTS_BEFORE}`).waitFor();

    const cdp = await page.context().newCDPSession(page);
    app.llm.open('watched');
    await page.getByText('Paragraph 1.').first().waitFor();
    const before = await heapAfterGc(cdp);
    const begun = await metrics(cdp);
    const { times, shift } = await watch(page, SECONDS * 1_000);
    const ended = await metrics(cdp);
    const after = await heapAfterGc(cdp);
    const mode = `${SECONDS} s of ${CHUNKS_A_SECOND} chunks/s into ${EVENTS_BEFORE} events`;
    report({
      name: `${mode}: frame time, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      baseline: percentile(empty, 0.95),
      baselineName: 'an empty page',
    });
    figure(`${mode}: frame time, p99`, percentile(times, 0.99), 'ms');
    figure(`${mode}: layout shift`, shift, '(score)');
    figure(`${mode}: main thread busy`, ((ended.TaskDuration! - begun.TaskDuration!) / SECONDS) * 100, '%');
    figure(`${mode}: heap at the begin`, before / 2 ** 20, 'MiB');
    figure(`${mode}: heap at the end`, after / 2 ** 20, 'MiB');
    figure(`${mode}: text received`, pieces.length() / 1024, 'KiB');
    expect(pieces.count()).toBeGreaterThan(SECONDS * 20);
    app.llm.open('measured');
    await close();
  });

  test('opening a long session', async () => {
    const { app } = dashboard;
    const id = await insertLongSession(app.database.url, OPENED_EVENTS);
    const took: number[] = [];
    for (let n = 0; n < OPENINGS; n += 1) {
      const { page, close } = await dashboard.open();
      const begun = performance.now();
      await page.goto(`${app.url}/sessions/${id}`);
      await page.locator('li[data-index="3"]').waitFor();
      took.push(performance.now() - begun);
      await close();
    }
    figure(`opening a session of ${OPENED_EVENTS} events, cold browser, p50`, percentile(took, 0.5), 'ms');
  });
});

/** Generates pieces of a report as models write them: paragraphs, lists and code, cut anywhere. */
function paragraphs(count: number): string[] {
  const pieces: string[] = [];
  for (let n = 0; pieces.length < count; n += 1) {
    pieces.push(`\n\nParagraph ${n}. `, 'The pool of **payment', '-service** is ', 'exhausted: ');
    for (let item = 1; item <= 4; item += 1)
      pieces.push(`\n${item}. pod \`payment-${item}\``, ' holds 25 ', 'of them');
    if (n % 5 === 4) pieces.push('\n\n```sh\nkubectl get ', 'pods -n prod\n```\n');
  }
  return pieces.slice(0, count);
}

/** Returns the times between animation frames (ms), measured for `ms` milliseconds. */
function frames(page: Page, ms: number): Promise<number[]> {
  return page.evaluate(async (length) => {
    const times: number[] = [];
    const begun = performance.now();
    let last = begun;
    while (last - begun < length) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      times.push(now - last);
      last = now;
    }
    return times.slice(1);
  }, ms);
}

/** Measures frame times, and how far existing content shifts although the reader does nothing. */
async function watch(page: Page, ms: number): Promise<{ times: number[]; shift: number }> {
  await page.evaluate(() => {
    const sum = globalThis as unknown as { shift: number };
    sum.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift' });
  });
  const times = await frames(page, ms);
  const shift = await page.evaluate(() => (globalThis as unknown as { shift: number }).shift);
  return { times, shift };
}

function countPieces(page: Page): { count: () => number; length: () => number } {
  let count = 0;
  let length = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (!String(payload).includes('StreamChunk')) return;
      count += 1;
      length += String(payload).length;
    }),
  );
  return { count: () => count, length: () => length };
}

async function metrics(cdp: CDPSession): Promise<Record<string, number>> {
  await cdp.send('Performance.enable');
  const { metrics: list } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

async function heapAfterGc(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await metrics(cdp)).JSHeapUsedSize!;
}
