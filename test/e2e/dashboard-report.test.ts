import type pg from 'pg';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { IN_LONG, insertReportedSession, LONG } from '../helpers/reported-session.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;
let pool: pg.Pool;
let api: ApiClient;
let session: { id: string; numbers: number[] };

/** Returns the accessible names of regions, in the page's order. */
const names = (regions: Element[]): (string | null)[] =>
  regions.map((region) => region.getAttribute('aria-label'));

describe.skipIf(NO_BROWSER)(browserSuite('a report on the dashboard'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard();
    pool = openTestPool(dashboard.app.database.url);
    api = apiClient(dashboard.app.url);
    session = await insertReportedSession({ app: dashboard.app, api, pool });
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const address = (hash = ''): string =>
    `${dashboard.app.url}/sessions/${encodeURIComponent(session.id)}${hash}`;
  const card = (): Locator => page.getByRole('region', { name: 'Verdict' });
  const dialog = (): Locator => page.getByRole('dialog');

  /** Time limit of polled assertions (ms), for a busy machine. */
  const PATIENCE = { timeout: 30_000 };

  /** Asserts that the page marks these words and that the mark is in view. */
  async function expectMarked(words: string): Promise<void> {
    const mark = dialog().locator('mark');
    await expect
      .poll(() => mark.allTextContents().then((all) => all.join('\n').replace(/\s+/g, ' ')), PATIENCE)
      .toBe(words);
    await expect
      .poll(
        () =>
          mark.first().evaluate((element) => {
            const box = element.getBoundingClientRect();
            const frame = element.closest('[role="region"]')!.getBoundingClientRect();
            return box.top >= frame.top && box.bottom <= frame.bottom && box.height > 0;
          }),
        PATIENCE,
      )
      .toBe(true);
  }

  test('shows the verdict first, then what to do, the cause and the evidence', async () => {
    await page.goto(address());
    await card().getByText('Action required').waitFor();
    await card().getByRole('heading', { name: 'The disk of db-1 is full.' }).waitFor();
    await card().getByText('82 %').waitFor();
    await card().getByText('1 of 2 causes and observations').waitFor();
    await card().getByText('Confidence', { exact: true }).waitFor();
    await card().getByText('2 of 3 runs agree on the cause.').waitFor();
    await card().getByText('No reports like this have been reviewed yet.').waitFor();
    const section = (name: string) => card().getByRole('region', { name });
    const claims = (name: string) => section(name).getByRole('list', { name }).locator('> li');
    expect(await card().getByRole('region').evaluateAll(names)).toEqual([
      ...['To do', 'Cause', 'Not supported by evidence'],
    ]);
    await claims('To do').getByText('Rotate the logs.').waitFor();
    const cause = claims('Cause');
    const refuted = claims('Not supported by evidence');
    await cause.getByText('Supported', { exact: true }).waitFor();
    await refuted.getByText('Observation', { exact: true }).waitFor();
    await refuted.getByText('Unsupported', { exact: true }).waitFor();
    await refuted.getByText('There is no output T99.', { exact: true }).waitFor();
    const facts = (claim: Locator) => claim.getByRole('list', { name: 'Facts' }).getByRole('listitem');
    expect(await facts(cause).allInnerTexts()).toEqual([
      `db-1 · /var = 97 % T${session.numbers[0]}`,
      'db-1 · state = not idle Alert',
    ]);
    expect(await facts(refuted).allInnerTexts()).toEqual([
      `api-150 · restarts = 12 T${session.numbers[1]}\nT3 does not say 12 of api-150.`,
      'no crash found (14:00–15:00; api-150) T99',
    ]);
    await facts(cause).nth(0).getByRole('img', { name: 'Confirmed' }).waitFor();
    await facts(refuted).nth(0).getByRole('img', { name: 'Not confirmed' }).waitFor();
    expect(await facts(claims('To do')).count()).toBe(0);
    const look = (claim: Locator) =>
      claim.evaluate((element) => {
        const { borderLeftStyle, borderLeftWidth } = getComputedStyle(element);
        return `${borderLeftStyle} ${borderLeftWidth} ${getComputedStyle(element.children[1]!).fontStyle}`;
      });
    expect([await look(cause), await look(refuted)]).toEqual(['solid 3px normal', 'dashed 3px italic']);
    const top = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().top);
    expect(await top(card())).toBeLessThan(
      await top(page.getByRole('region', { name: 'Executive summary' })),
    );
    await expectPageFits(page, 'report');
  });

  test('holds verdict, step and cause on the first screen, and shows the verdict once', async () => {
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await page.goto(address());
      const parts = [
        card().getByText('Action required'),
        card().getByRole('heading', { name: 'The disk of db-1 is full.' }),
        card().getByText('Rotate the logs.'),
        card().getByText('/var on db-1 is 97 % full.'),
      ];
      for (const part of parts) {
        await part.waitFor();
        const { y, height } = (await part.boundingBox())!;
        expect(y + height, `at ${size.width}`).toBeLessThanOrEqual(size.height);
      }
      expect(await page.getByText('Action required').count()).toBe(1);
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await page.locator('header').getByText('Action required').waitFor();
    }
  });

  test('clicking a citation opens a megabyte at the quote, and so does the resulting address', async () => {
    await page.goto(address());
    await card().getByRole('link', { name: IN_LONG }).click();
    await dialog().getByText('tools.echo').waitFor();
    await expectMarked(IN_LONG);
    expect(new URL(page.url()).hash).toBe('#claim-1-1');
    await expectPageFits(page, 'evidence', { whole: false });
    // On a phone, lines wrap and are higher, so the quote is further down than its line number suggests.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await expectMarked(IN_LONG);
    await page.goBack();
    await dialog().waitFor({ state: 'hidden' });
    await page.goForward();
    await expectMarked(IN_LONG);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(new URL(page.url()).hash).toBe('');
  });

  test('a fact opens the evidence of its citation, if the page can show it', async () => {
    await page.goto(address());
    await card().getByRole('link', { name: 'db-1 · state = not idle' }).click();
    await expectMarked('full on db-1');
    expect(new URL(page.url()).hash).toBe('#claim-1-2');
    await page.keyboard.press('Escape');
    await card().getByText('no crash found').waitFor();
    expect(
      await card()
        .getByRole('link', { name: /no crash found/ })
        .count(),
    ).toBe(0);
  });

  test('shows JSON indented, with the quote marked in its new position', async () => {
    await page.goto(address('#claim-2-1'));
    await expectMarked('"name": "api-150", "restarts": 150');
    await dialog().getByRole('link', { name: 'Show in timeline' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.locator(`#event-${session.numbers[1]}`).waitFor();
  });

  test('cites the alert, and reports a quote that is not found', async () => {
    await page.goto(address('#claim-1-2'));
    await expectMarked('full on db-1');
    await page.goto(address('#claim-2-2'));
    await dialog().getByText('The output does not hold this quote.').waitFor();
    expect(await dialog().locator('mark').count()).toBe(0);
    await page.goto(address('#claim-2-3'));
    await card().waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await card().getByRole('link', { name: 'gone' }).count()).toBe(0);
    await card().getByText('“gone”').waitFor();
  });

  test('an answer shows its claims and their evidence below it', async () => {
    dashboard.app.llm.script({ text: 'Only /var is full.' });
    const stage = await askQuestion(api, session.id, 'Which directory?');
    await waitForStageEnd(api, session.id, stage);
    const at = LONG.indexOf(IN_LONG);
    const citation = { source: session.numbers[0], quote: IN_LONG, status: 'HOLDS', problem: null };
    const claim = {
      kind: 'OBSERVATION',
      text: '97 % are used.',
      absence: false,
      status: 'SUPPORTED',
      problem: null,
    };
    const cited = { ...citation, start: at, end: at + IN_LONG.length };
    const claims = [{ ...claim, onlyUntrusted: false, citations: [cited] }];
    const { rows } = await pool.query<{ index: number }>(
      `with added as (
         insert into answer_reports (stage_id, session_id, evidence_score, claims)
         select id, session_id, 1, $1::jsonb from stages where type = 'CHAT' returning stage_id)
       select index from stages s join added a on a.stage_id = s.id`,
      [JSON.stringify(claims)],
    );
    await page.goto(address());
    const answer = page.getByRole('region', { name: 'Checked claims of the answer' });
    await answer.getByText('1 of 1 causes and observations supported').waitFor();
    await answer.getByRole('link', { name: IN_LONG }).click();
    await expectMarked(IN_LONG);
    expect(new URL(page.url()).hash).toBe(`#answer-${rows[0]!.index}-claim-1-1`);
  });
});
