import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { axeFindings } from '../helpers/axe.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  submitAlert,
} from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

describe.skipIf(NO_BROWSER)(browserSuite('steering an investigation on its page'), () => {
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

  test('a hint shows who has read it, live, and the investigation concludes when asked', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    app.llm.script(
      [{ gate: 'first' }, { text: 'Looking.' }, toolCall('tools.echo', { text: 'var is full' })],
      [{ text: 'Looking on.' }, { hang: true }],
      { text: 'The disk is full.' },
      { text: 'In short.' },
    );
    await submitAlert(page, app.url, 'Disk almost full');
    await app.llm.reached('first');
    const steering = page.getByRole('region', { name: 'Hints' });
    const field = steering.getByRole('textbox', { name: 'Hint for the agents' });
    await field.fill('Look at the rollout.\n<img src=x onerror=alert(1)>');
    await field.press('Enter');
    await page.getByText('Not read yet').waitFor();
    await expect.poll(() => field.inputValue()).toBe(''); // the event may arrive before the answer
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    app.llm.open('first');
    await page.getByText('Delivered to TestAgent').waitFor();

    await field.fill('ä'.repeat(2_001));
    await steering.getByText('Too long: 4002 of 4000 bytes.').waitFor();
    expect(await steering.getByRole('button', { name: 'Add hint' }).isDisabled()).toBe(true);
    await field.fill('');
    await page.getByText('Looking on.').first().waitFor();
    await expect.poll(() => axeFindings(page)).toEqual([]); // a colour may be in transition
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    await steering.getByRole('button', { name: 'Conclude now' }).click();
    await page.getByText('In short.').first().waitFor();
    await page.getByText('TestAgent had to conclude early: a responder asked for it.').waitFor();
    await steering.waitFor({ state: 'detached' });
    app.llm.assertNoUnusedScripts();
  });

  test('keeps a hint that is typed while another one is sent', async () => {
    const { app } = dashboard;
    const { page } = guarded;
    app.llm.script([{ gate: 'typing' }, { text: 'Fine.' }], { text: 'In short: fine.' });
    await submitAlert(page, app.url, 'Disk almost full again');
    await app.llm.reached('typing');
    const answered = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('addHint')) return route.continue();
      const response = await route.fetch();
      await answered.promise;
      await route.fulfill({ response });
    });
    const field = page.getByRole('textbox', { name: 'Hint for the agents' });
    await field.fill('Look at the rollout.');
    await field.press('Enter');
    await page.getByText('Not read yet').waitFor();
    await field.fill('Look at the cache, too.');
    answered.resolve();
    await page.getByRole('button', { name: 'Add hint', disabled: false }).click(); // once the answer is processed
    await page.getByText('Look at the cache, too.').first().waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    app.llm.open('typing');
    await page.getByText('In short: fine.').first().waitFor();
  });
});
