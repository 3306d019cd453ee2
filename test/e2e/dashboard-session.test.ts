import type { Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
  whenPainted,
} from '../helpers/dashboard.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { openSwitchableProxy } from '../helpers/switchable-proxy.ts';

/** Most tests run an investigation of five agents. */
vi.setConfig({ testTimeout: 120_000 });

const agent = (name: string) => ({ mcp_servers: ['tools'], custom_instructions: `You are ${name}.` });

describe.skipIf(NO_BROWSER)(browserSuite('a session’s page'), () => {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let api: ApiClient;
  beforeAll(async () => {
    dashboard = await startDashboard({
      agents: { DiskAgent: agent('DiskAgent'), LogAgent: agent('LogAgent') },
      stages: [
        { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
        { name: 'advise', agents: [{ name: 'TestAgent' }] },
      ],
    });
    api = apiClient(dashboard.app.url);
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open();
  });
  afterEach(() => guarded.close());

  const open = (id: string, hash = '') => guarded.page.goto(`${dashboard.app.url}/sessions/${id}${hash}`);

  /** Runs a session whose agents answer at once, with a synthesis, a last stage and an executive summary. */
  async function completed(): Promise<string> {
    const { llm } = dashboard.app;
    llm.route('You are DiskAgent', [toolCall('tools.count_lines', { n: 3 })], { text: 'The disk is full.' });
    llm.route('You are LogAgent', { text: 'Nobody rotates the logs.' });
    llm.script(
      { text: 'Both agree.' },
      { text: 'Rotate.' },
      { text: 'Rotate the **logs**.' },
      { text: 'Logs fill the disk.' },
    );
    const id = await api.submit('Disk trouble');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    return id;
  }

  test('shows each parallel agent in its own tab, live', async () => {
    const { llm } = dashboard.app;
    const { page } = guarded;
    llm.route('You are DiskAgent', [
      { text: 'Measuring the disk, ' },
      { gate: 'a' },
      { text: 'it is full.' },
    ]);
    llm.route('You are LogAgent', [{ text: 'Reading the logs, ' }, { gate: 'b' }, { text: 'all old.' }]);
    llm.script(
      { text: 'Both agree.' },
      { text: 'Rotate.' },
      { text: 'Rotate the logs.' },
      { text: 'In short: logs.' },
    );
    const id = await api.submit('Disk trouble');
    await open(id);
    await page.getByText('Measuring the disk,').waitFor();
    expect(await page.getByText('Reading the logs,').count()).toBe(0);
    await page.getByRole('tab', { name: /LogAgent/ }).click();
    await page.getByText('Reading the logs,').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByText('Measuring the disk,').waitFor();
    llm.open('a');
    await page.getByText('it is full.').waitFor();
    llm.open('b');
    await page.getByRole('heading', { name: /look - Synthesis/ }).waitFor();
    await page.getByText('In short: logs.').first().waitFor();
    await page.getByRole('textbox', { name: /question/i }).waitFor();
  });

  test('recovers a cut answer stream without gaps or repetitions', async () => {
    const { llm } = dashboard.app;
    const id = await completed();
    const line = await openSwitchableProxy(dashboard.app.url);
    const behind = await dashboard.open({}, line.url);
    const { page } = behind;
    await page.goto(`${line.url}/sessions/${id}`);
    llm.script([
      { text: ['It began ', 'on Friday, '] },
      { gate: 'cut' },
      { text: ['when cron ', 'was stopped, '] },
      { gate: 'back' },
      { text: 'by hand.' },
    ]);
    await page.getByRole('textbox', { name: /question/i }).fill('Since when?');
    await page.keyboard.press('Control+Enter');
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText('Since when?').waitFor();
    await questions.getByText('It began on Friday,').waitFor();
    line.cut();
    llm.open('cut');
    await questions.getByText('It began on Friday, when cron was stopped,').waitFor();
    llm.open('back');
    await questions
      .getByText('It began on Friday, when cron was stopped, by hand.', { exact: true })
      .waitFor();
    expect(await questions.getByText('Since when?').count()).toBe(1);
    await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
    await behind.close();
    await line.close();
  });

  test('shows a question once if its answer arrives before the response to the request', async () => {
    const { page } = guarded;
    await open(await completed());
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('sendChatMessage')) return route.continue();
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    dashboard.app.llm.script({ text: 'Because nobody looked.' });
    await page.getByRole('textbox', { name: /question/i }).fill('Why?');
    await page.keyboard.press('Enter');
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText('Because nobody looked.').waitFor();
    expect(await questions.getByText('Why?').count()).toBe(1);
    held.resolve();
    await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
    expect(await questions.getByText('Why?').count()).toBe(1);
  });

  test('stops an answer, and accepts the next question', async () => {
    const { llm } = dashboard.app;
    const { page } = guarded;
    await open(await completed());
    const field = page.getByRole('textbox', { name: /question/i });
    llm.script([{ text: 'Well, ' }, { hang: true }]);
    await field.fill('Why?');
    await page.keyboard.press('Enter');
    await page.getByText('Well,').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText(/^Cancelled/).waitFor();
    llm.script({ text: 'Because nobody looked.' });
    await field.fill('Why, again?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await questions.getByText('Because nobody looked.').waitFor();
    await page.reload();
    await questions.getByText('Because nobody looked.').waitFor();
    expect(await questions.getByRole('listitem').filter({ hasText: 'Why' }).count()).toBe(2);
  });

  test('shows no error for a stop that arrives after the answer', async () => {
    const { llm } = dashboard.app;
    const { page } = guarded;
    await open(await completed());
    llm.script([{ text: 'Well, ' }, { gate: 'stop' }, { text: 'that is all.' }]);
    await page.getByRole('textbox', { name: /question/i }).fill('Why?');
    await page.keyboard.press('Enter');
    await page.getByText('Well,').waitFor();
    const sent = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const isStop = (request: Request) => request.postData()?.includes('cancelSession') ?? false;
    await page.route('**/graphql', async (route) => {
      if (isStop(route.request())) {
        sent.resolve();
        await held.promise;
      }
      await route.continue();
    });
    const answered = page.waitForResponse((response) => isStop(response.request()));
    await page.getByRole('button', { name: 'Stop' }).click();
    await sent.promise;
    llm.open('stop');
    await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
    held.resolve();
    expect(await (await answered).json()).toMatchObject({
      data: { cancelSession: { __typename: 'ConflictError' } },
    });
    await whenPainted(page);
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText('Well, that is all.').waitFor();
    expect(await questions.getByRole('alert').count()).toBe(0);
  });

  test('returns a question that cannot be sent to its field, unless another is typed there by then', async () => {
    const { page } = guarded;
    await open(await completed());
    const sent = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('sendChatMessage')) return route.continue();
      sent.resolve();
      await held.promise;
      await route.abort('connectionrefused');
    });
    const field = page.getByRole('textbox', { name: /question/i });
    const refused = page.getByText('The server is not responding.');
    await field.fill('Why?');
    await page.keyboard.press('Enter');
    await sent.promise;
    await field.fill('How?');
    held.resolve();
    await refused.waitFor();
    expect(await field.inputValue()).toBe('How?');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('How?');
    await refused.waitFor();
  });

  test('a cancelled session accepts no question, and the page says so', async () => {
    const { llm } = dashboard.app;
    const { page } = guarded;
    llm.route('You are DiskAgent', [{ text: 'Hm' }, { hang: true }]);
    llm.route('You are LogAgent', [{ text: 'Hm' }, { hang: true }]);
    const id = await api.submit('Never mind');
    await open(id);
    await page.getByText('Hm').waitFor();
    await page.getByRole('button', { name: /^Cancel / }).click();
    await page.getByRole('button', { name: 'Cancel investigation' }).click();
    await page.getByText('there is nothing to ask about').waitFor();
    expect(await page.getByRole('textbox', { name: /question/i }).isDisabled()).toBe(true);
  });

  test('a link opens its entry: stage expanded, agent selected, entry in view', async () => {
    const { page } = guarded;
    const id = await completed();
    const { session } = await api.query<{
      session: { timeline: { sequenceNumber: number; content: string }[] };
    }>(
      `query ($id: ID!) { session(id: $id) { timeline(types: [FINAL_ANALYSIS]) { sequenceNumber content } } }`,
      { id },
    );
    const entry = session.timeline.find(({ content }) => content === 'Nobody rotates the logs.')!;
    await open(id, `#event-${entry.sequenceNumber}`);
    await page.locator(`#event-${entry.sequenceNumber}`).getByText('Nobody rotates the logs.').waitFor();
    await page.waitForFunction((place) => {
      const { top, bottom } = document.querySelector(place)!.getBoundingClientRect();
      return top > 0 && bottom < innerHeight;
    }, `#event-${entry.sequenceNumber}`);
    await open(id, '#stage-3');
    const heading = page.getByRole('heading', { name: /advise/ });
    await heading.waitFor();
    await page.waitForFunction(
      () => document.querySelector('#stage-3')!.getBoundingClientRect().top < innerHeight,
    );
  });

  test('a page that goes offline resumes by itself when it is back online', async () => {
    const { llm } = dashboard.app;
    llm.route('You are DiskAgent', [{ text: 'Before. ' }, { gate: 'offline' }, { text: 'After.' }]);
    llm.route('You are LogAgent', { text: 'Nothing.' });
    llm.script(
      { text: 'Both agree.' },
      { text: 'Rotate.' },
      { text: 'Full: rotate.' },
      { text: 'In short.' },
    );
    const id = await api.submit('Disk trouble');
    const line = await openSwitchableProxy(dashboard.app.url);
    const behind = await dashboard.open({}, line.url);
    const { page } = behind;
    await page.goto(`${line.url}/sessions/${id}`);
    await page.getByText('Before.').waitFor();
    line.refuse();
    await page.getByText('Reconnecting…').waitFor();
    llm.open('offline');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    line.accept();
    await page.getByText('Before. After.').waitFor();
    await page.getByText('In short.').first().waitFor();
    await page.getByText('Completed').first().waitFor();
    await behind.close();
    await line.close();
  });
});
