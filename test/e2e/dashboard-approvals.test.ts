import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { approvalsOf, decide, pendingApprovals } from '../helpers/approvals.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Time limit of polled assertions (ms), for a busy machine. */
const SOON = { timeout: 60_000 };
const HOSTILE = '<img src=x onerror=alert(1)> [click](javascript:alert(1))';

describe.skipIf(NO_BROWSER)(browserSuite('calls that wait for approval'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  let sql: pg.Client;
  beforeAll(async () => {
    dashboard = await startDashboard({ tools: { allow_changes: false } });
    sql = new pg.Client({ connectionString: dashboard.app.database.url });
    await sql.connect();
  });
  afterAll(async () => {
    await sql.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  const api = () => apiClient(dashboard.app.url);
  const waiting = () => page.getByRole('list', { name: 'Tool calls waiting for approval' }).locator('> li');

  /** Starts a session whose agent requests approval of `tools.note`. */
  async function asked(text: string, argument = HOSTILE): Promise<string> {
    dashboard.app.llm.script(
      toolCall('tools.note', { text: argument }),
      { text: 'It is done.' },
      { text: 'In short.' },
    );
    const id = await api().submit(text);
    await api().waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
    return id;
  }
  const ended = (id: string) => api().waitFor(id, ({ status }) => ENDED.has(status));

  test('are announced on every page and approved on their own', async () => {
    await page.goto(`${dashboard.app.url}/system`);
    await page.getByRole('heading', { name: 'MCP servers' }).waitFor();
    const id = await asked('Disk of db-1 is full');
    await page.getByRole('link', { name: '1 waiting for approval' }).click();
    await expect.poll(() => waiting().count(), SOON).toBe(1);
    await waiting().getByRole('link', { name: 'Disk of db-1 is full' }).waitFor();
    await waiting().getByText(HOSTILE).first().waitFor(); // markup in arguments is shown as text
    expect(await page.getByText('alert resolved').count()).toBe(0);
    await sql.query('update alert_sessions set resolved_at = now()');
    await page.reload();
    await waiting().getByText('The alert resolved').waitFor(SOON);
    await expectPageFits(page, 'approvals');
    const comment = page.getByRole('textbox', { name: 'Comment on tools.note' });
    await comment.fill('Looked at it');
    await page.reload();
    await comment.waitFor();
    expect(await comment.inputValue()).toBe('Looked at it');
    await page.getByRole('button', { name: 'Approve tools.note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run tools.note?' });
    await dialog.getByRole('region', { name: 'Arguments of the call' }).waitFor();
    await dialog.getByRole('button', { name: 'Approve and run' }).click();
    await page.getByText('No calls waiting for approval').waitFor(SOON);
    await page.getByRole('link', { name: /waits? for approval/ }).waitFor({ ...SOON, state: 'detached' });
    await waiting().getByText('Executed').waitFor(SOON);
    await waiting().getByRole('region', { name: 'Result' }).getByText(`noted: ${HOSTILE}`).waitFor(SOON);
    expect(await waiting().getByRole('img').count()).toBe(0); // markup in the result is shown as text
    const link = waiting().getByRole('link', { name: 'Open the call in its investigation' });
    const [approval] = await approvalsOf(api(), id);
    expect(await link.getAttribute('href')).toMatch(
      new RegExp(`^/sessions/[0-9a-f-]{36}#event-${approval!.toolCall!.sequenceNumber}$`),
    );
    await expectPageFits(page, 'approvals-result');
    expect((await ended(id)).status).toBe('COMPLETED');
    expect((await approvalsOf(api(), id))[0]).toMatchObject({
      status: 'EXECUTED',
      decisions: [{ approved: true, comment: 'Looked at it' }],
    });
  });

  test('keep their position when others decide, so that a click never hits the next one', async () => {
    const calls = ['qq1', 'qq2'].map((text) => toolCall('tools.note', { text }));
    dashboard.app.llm.script(...calls, { text: 'It is not done.' }, { text: 'In short.' });
    const ids = [await api().submit('Disk of db-3 is full'), await api().submit('Disk of db-4 is full')];
    await page.goto(`${dashboard.app.url}/approvals`);
    await expect.poll(() => waiting().count(), SOON).toBe(2);
    const approve = page.getByRole('button', { name: 'Approve tools.note' });
    const { x, y, width, height } = (await approve.first().boundingBox())!;
    const [first, second] = await pendingApprovals(api());
    await decide(api(), first!, false);
    await waiting()
      .first()
      .getByText(/^Denied by/)
      .waitFor(SOON);
    expect(await approve.count()).toBe(1);
    const pressed = await page.evaluate(
      ([left, top]) => document.elementFromPoint(left!, top!)?.closest('button')?.ariaLabel ?? 'none',
      [x + width / 2, y + height / 2],
    );
    expect(pressed).toBe('none');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await decide(api(), second!, false);
    await waiting()
      .last()
      .getByText(/^Denied by/)
      .waitFor(SOON);
    // An approval with a final status is not read again when other approvals are decided.
    expect(asked.filter((body) => body.includes(first!.id))).toEqual([]);
    await Promise.all(ids.map(ended));
  });

  test('show hidden characters of their arguments', async () => {
    const id = await asked('Disk of db-5 is full', 'rm \u202egpj.x\u{e0041}');
    await page.goto(`${dashboard.app.url}/approvals`);
    const shown = String.raw`"text": "rm \u202egpj.x\udb40\udc41"`;
    await waiting().getByRole('region', { name: 'Arguments' }).getByText(shown).waitFor(SOON);
    await page.getByRole('button', { name: 'Approve tools.note' }).click();
    await page.getByRole('dialog').getByText(shown).waitFor(SOON);
    await page.getByRole('button', { name: 'Not yet' }).click();
    await decide(api(), (await pendingApprovals(api()))[0]!, false);
    await ended(id);
  });

  test('are denied in the timeline, which shows their outcome', async () => {
    const id = await asked('Disk of db-2 is full');
    await page.goto(`${dashboard.app.url}/sessions/${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('button', { name: 'Deny tools.note' }).waitFor();
    await timeline.getByText('Waiting for approval').waitFor();
    await timeline.getByRole('textbox', { name: 'Comment on tools.note' }).fill('Not now');
    await timeline.getByRole('button', { name: 'Deny tools.note' }).click();
    await timeline
      .getByText(/^Denied by .*: Not now/)
      .first()
      .waitFor(SOON);
    await timeline.getByRole('button', { name: 'Deny tools.note' }).waitFor({ ...SOON, state: 'detached' });
    await ended(id);
  });
});
