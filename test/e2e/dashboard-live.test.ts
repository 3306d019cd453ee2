import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

describe.skipIf(NO_BROWSER)(browserSuite('the dashboard, live'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
  });
  afterEach(() => guarded.close());

  test('shows a submitted alert live, word by word, until its analysis', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    app.llm.script(
      [
        { gate: 'first' },
        { thinking: 'Looking at the tools.' },
        toolCall('tools.echo', { text: 'hello from the tool' }),
      ],
      [{ text: 'The first half, ' }, { gate: 'half' }, { text: 'and the **second**.' }],
      { text: 'In short.' },
    );
    await submitAlert(page, app.url, 'Disk almost full');
    await page.getByText('the agent connects to its tools, then waits for the model').waitFor();
    app.llm.open('first');
    await page.getByText('The first half,').waitFor();
    expect(await page.getByText('second').count()).toBe(0);
    app.llm.open('half');
    await page.locator('strong', { hasText: 'second' }).first().waitFor();
    await page.getByText('In short.').first().waitFor();
    await page.getByText('Completed').first().waitFor();
    await page.getByText('tools.echo').first().waitFor();

    await page.reload();
    await page.getByText('In short.').waitFor();
    await page.goto(app.url);
    await page
      .getByRole('link', { name: /Disk almost full/ })
      .first()
      .waitFor();
    app.llm.assertNoUnusedScripts();
  });

  test('lists sessions that start elsewhere, and cancels a running session from its page', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    await page.goto(app.url);
    await page.getByText('Nothing running').waitFor();
    const other = await dashboard.browser.newPage();
    app.llm.script([{ text: 'Working' }, { hang: true }]);
    await other.goto(`${app.url}/submit`);
    await other.getByRole('textbox', { name: /^alert/i }).fill('Begun elsewhere');
    await other.getByRole('button', { name: 'Investigate' }).click();
    await other.waitForURL(/\/sessions\//);
    await page.getByText('Begun elsewhere').first().waitFor();

    await other.getByText('Working').first().waitFor();
    await other
      .getByRole('button', { name: /cancel/i })
      .first()
      .click();
    const confirm = other
      .getByRole('dialog')
      .getByRole('button', { name: /cancel/i })
      .last();
    await Promise.race([
      confirm.waitFor().then(() => confirm.click()),
      other.getByText('Cancelled').first().waitFor(),
    ]);
    await other.getByText('Cancelled').first().waitFor();
    await page.getByText('Nothing running').waitFor();
    await other.close();
  });

  test('foreign text stays text: no script, no image, no foreign request', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    const hostile =
      '<img src=x onerror="alert(1)"> <script>alert(2)</script> ![x](https://evil.example/x.png) [y](javascript:alert(3))';
    app.llm.script(
      [{ thinking: hostile }, toolCall('tools.echo', { text: hostile })],
      { text: `Found: ${hostile}` },
      { text: hostile },
    );
    await submitAlert(page, app.url, hostile);
    await page.getByText('Completed').first().waitFor();
    await page.getByText('Found:').first().waitFor();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  });
});
