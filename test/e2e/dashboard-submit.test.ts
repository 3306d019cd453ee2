import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';

const SELECTION = `query ($id: ID!) { session(id: $id) { alertData alertType runbookUrl mcpSelection } }`;

describe.skipIf(NO_BROWSER)(browserSuite('submitting an alert'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let page: Page;
  beforeAll(async () => {
    dashboard = await startDashboard();
    dashboard.app.llm.otherwise({ text: 'Fine.' });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
    ({ page } = guarded);
    await page.goto(`${dashboard.app.url}/submit`);
  });
  afterEach(() => guarded.close());

  const alert = () => page.getByRole('textbox', { name: /^alert/i });
  const investigate = () => page.getByRole('button', { name: 'Investigate' });
  const sessionId = () => decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!);
  async function stored() {
    const { session } = await apiClient(dashboard.app.url).query<{ session: Record<string, unknown> }>(
      SELECTION,
      { id: sessionId() },
    );
    return session;
  }

  test('shows errors next to their field, and keeps the input', async () => {
    await investigate().click();
    await page.getByText('Paste an alert, or choose a file.').waitFor();
    expect(await alert().getAttribute('aria-invalid')).toBe('true');
    await alert().fill('Disk full');
    const runbook = page
      .getByRole('combobox', { name: /^Runbook/ })
      .or(page.getByLabel(/^Runbook/))
      .first();
    await runbook.fill('ftp://runbooks.example.com/disk');
    await investigate().click();
    const said = page.getByText(/must begin with https/);
    await said.waitFor();
    const described = await runbook.getAttribute('aria-describedby');
    expect(await said.getAttribute('id')).toBe(described);
    expect(await alert().inputValue()).toBe('Disk full');
    await runbook.fill('');
    await investigate().click();
    await page.waitForURL(/\/sessions\//);
  });

  test('accepts a chosen or dropped file, and refuses one that is too large', async () => {
    const chooser = page.locator('input[type="file"]');
    await chooser.setInputFiles({
      name: 'a.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"a":1}'),
    });
    await expect.poll(() => alert().inputValue(), { timeout: 20_000 }).toBe('{"a":1}');
    const large = Buffer.alloc(1024 * 1024 + 1, 97);
    await chooser.setInputFiles({ name: 'large.txt', mimeType: 'text/plain', buffer: large });
    await page.getByText('large.txt is too large: 1 MiB. Maximum 1 MiB.').waitFor();
    expect(await alert().inputValue()).toBe('{"a":1}');
    await alert().evaluate((target) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped: yes'], 'b.yaml'));
      target.dispatchEvent(
        new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
      );
    });
    await expect.poll(() => alert().inputValue(), { timeout: 20_000 }).toBe('dropped: yes');
  });

  test('submits the chosen tools, and preselects them on resubmission', async () => {
    await alert().fill('Only look');
    await page.getByRole('button', { name: 'Tools' }).click();
    await page.getByRole('radio', { name: 'Only selected servers and tools', exact: true }).click();
    await page.getByRole('button', { name: /^All \d+ tools/ }).click();
    await page.getByRole('checkbox', { name: 'echo', exact: true }).uncheck();
    // Holds the button for 450 ms, so that a slow click is tested too.
    await page.getByRole('combobox', { name: 'Google search' }).click({ delay: 450 });
    await page.getByRole('option', { name: 'Off' }).click();
    await investigate().click();
    await page.waitForURL(/\/sessions\//);
    const first = await stored();
    expect(first).toMatchObject({
      alertData: 'Only look',
      mcpSelection: { servers: [{ name: 'tools' }], nativeTools: { googleSearch: false } },
    });
    const [server] = (first.mcpSelection as { servers: { tools: string[] }[] }).servers;
    expect(server?.tools.length).toBeGreaterThan(1);
    expect(server?.tools).not.toContain('echo');

    await page.getByText('Completed').first().waitFor();
    // The investigation has ended, so that no element moves any more.
    await page.getByPlaceholder('Ask about this investigation').waitFor();
    await page.getByRole('link', { name: 'Submit again' }).click();
    await page.getByText('Filled in from the earlier session').waitFor();
    expect(await page.getByRole('checkbox', { name: 'echo', exact: true }).isChecked()).toBe(false);
    await alert().fill('Look again');
    await investigate().click();
    await page.waitForURL(/\/sessions\//);
    expect(await stored()).toEqual({ ...first, alertData: 'Look again' });
  });

  test('keeps a draft when the page is loaded again, but not after its submission', async () => {
    await alert().fill('Disk full');
    await page.reload();
    await expect.poll(() => alert().inputValue(), { timeout: 20_000 }).toBe('Disk full');
    await investigate().click();
    await page.waitForURL(/\/sessions\//);
    await alert().waitFor({ state: 'detached' }); // the address changes before the page
    await page.goBack();
    await alert().waitFor();
    expect(await alert().inputValue()).toBe('');
  });

  test('starts empty with a message if the session to copy does not exist', async () => {
    await page.goto(`${dashboard.app.url}/submit?from=nothing`);
    await page.getByText('Could not load the earlier session').waitFor();
    expect(await alert().inputValue()).toBe('');
  });
});
