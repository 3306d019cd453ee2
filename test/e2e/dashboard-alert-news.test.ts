import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

describe.skipIf(NO_BROWSER)(browserSuite('an investigation whose alerts change while it runs'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ intake: intakeConfig() });
  });
  afterAll(() => dashboard.stop());

  test('shows alerts that join and resolve immediately, in timeline order', async () => {
    const { url, llm } = dashboard.app;
    llm.script(
      [{ text: 'Looking at the disk.' }, { gate: 'looking' }, toolCall('tools.echo', { text: 'df' })],
      { text: 'The disk is full of logs.' },
      { text: 'Remove the logs.' },
    );
    const { session } = await sendDelivery(url, alertBody());
    const { page, close } = await dashboard.open();
    await page.goto(`${url}/sessions/${session}`);
    await page.getByText('Looking at the disk.').waitFor(); // the page shows this item before the later ones
    await sendDelivery(url, alertBody({ fingerprint: 'cpu', title: `CPU ${HOSTILE}` }));
    await page.getByText(`CPU ${HOSTILE}`).first().waitFor();
    await sendDelivery(url, [alertBody({ state: 'ok' }), alertBody({ fingerprint: 'cpu', state: 'ok' })]);
    await page.getByText('none is firing now').waitFor();
    await page.getByText('Resolved just now').waitFor();
    llm.open('looking');
    await apiClient(url).waitFor(session!, ({ status }) => ENDED.has(status));
    await page.reload();
    await page.getByRole('heading', { name: 'Final analysis' }).waitFor();
    const shown = ['Looking at the disk.', 'Alerts joined', 'Alerts resolved', 'echo'];
    // The words of the timeline in their order, also those that appear after the analysis.
    const ordered = async () => {
      const said = await page.locator('main').innerText();
      return shown
        .filter((words) => said.includes(words))
        .toSorted((a, b) => said.lastIndexOf(a) - said.lastIndexOf(b));
    };
    await expect.poll(ordered).toEqual(shown);
    await close();
  }, 60_000);
});
