import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Each test renders one state at four widths, and in two colour schemes. */
vi.setConfig({ testTimeout: 120_000 });

const ALERT = JSON.stringify({
  labels: { alertname: 'ApiSlow', service: 'checkout', severity: 'critical', region: 'eu-west-1' },
  annotations: { summary: 'p99 of checkout above 2 s', description: 'For 10 minutes, on all pods.' },
});
const agent = (name: string) => ({ mcp_servers: ['tools'], custom_instructions: `You are ${name}.` });
const PARTIAL = `## What is known

The pool of **payment-service** is exhausted:

- 50 of 50 connections are in use
- the oldest has been open for \`412 s\`

| pod | open |
|---|---|
| payment-1 | 25 |`;

describe.skipIf(NO_BROWSER)(browserSuite('every state of a session'), () => {
  let dashboard: Dashboard;
  let api: ApiClient;
  let guarded: GuardedPage;
  let page: Page;
  let begun = 0;
  const ids = { failed: '', late: '', cancelled: '', done: '' };
  beforeAll(async () => {
    dashboard = await startDashboard({
      agents: { DiskAgent: agent('DiskAgent'), LogAgent: agent('LogAgent'), DbAgent: agent('DbAgent') },
      stages: [
        { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }, { name: 'DbAgent' }] },
        { name: 'advise', agents: [{ name: 'TestAgent' }] },
      ],
    });
    api = apiClient(dashboard.app.url);
    // Runs one session after the other, because scripted responses are used in the order of the calls.
    for (const make of [completed, failed, late, cancelled]) await make();
  }, 120_000);
  afterAll(() => dashboard.stop());

  const ended = (id: string) => api.waitFor(id, ({ status }) => ENDED.has(status));

  async function completed(): Promise<void> {
    const { llm } = dashboard.app;
    llm.route('You are DiskAgent', { text: 'The disks are fine.' });
    llm.route('You are LogAgent', { text: 'Nothing in the logs.' });
    llm.route('You are DbAgent', [toolCall('tools.count_lines', { n: 3 })], { text: PARTIAL });
    llm.script(...[{ text: 'The pool is too small.' }, { text: PARTIAL }, { text: PARTIAL }], {
      text: 'Enlarge the **pool**.',
    });
    ids.done = await api.submit(ALERT);
    await ended(ids.done);
  }

  async function failed(): Promise<void> {
    const { llm } = dashboard.app;
    const refused = { error: { code: 'invalid_api_key', message: 'The provider refused the key.' } };
    for (const name of ['DiskAgent', 'LogAgent', 'DbAgent']) {
      llm.route(`You are ${name}`, [{ text: 'Looking at it' }, refused]);
    }
    ids.failed = await api.submit(ALERT);
    await ended(ids.failed);
  }

  /** Creates the state that a session has after its deadline, without waiting for a deadline. */
  async function late(): Promise<void> {
    const { llm } = dashboard.app;
    const refused = { error: { code: 'invalid_api_key', message: 'x' } };
    llm.route('You are DiskAgent', [{ thinking: 'The volumes first.' }, { text: PARTIAL }, refused]);
    for (const name of ['LogAgent', 'DbAgent']) llm.route(`You are ${name}`, refused);
    ids.late = await api.submit(ALERT);
    await ended(ids.late);
    const uuid = Buffer.from(ids.late, 'base64').toString().split(':')[1];
    const sql = new pg.Client({ connectionString: dashboard.app.database.url });
    await sql.connect();
    const why = 'The session reached its limit of 40 minutes.';
    for (const table of ['stages', 'agent_executions', 'timeline_events']) {
      await sql.query(
        `update ${table} set status = 'TIMED_OUT' where session_id = $1 and status = 'FAILED'`,
        [uuid],
      );
    }
    for (const table of ['stages', 'agent_executions']) {
      await sql.query(`update ${table} set error_message = $2 where session_id = $1`, [uuid, why]);
    }
    await sql.query(`update alert_sessions set status = 'TIMED_OUT', error_message = $2 where id = $1`, [
      uuid,
      why,
    ]);
    await sql.end();
  }

  async function cancelled(): Promise<void> {
    const { llm } = dashboard.app;
    for (const name of ['DiskAgent', 'LogAgent', 'DbAgent']) {
      llm.route(`You are ${name}`, [
        { text: `${name} was about to say ` },
        { gate: 'cancel' },
        { hang: true },
      ]);
    }
    ids.cancelled = await api.submit(ALERT);
    await llm.reached('cancel', 3);
    await stop(ids.cancelled);
    await ended(ids.cancelled);
  }

  /** Starts a session with one agent that streams, one that has some output, and one that has ended. */
  async function running(): Promise<string> {
    const { llm } = dashboard.app;
    llm.route(
      'You are DiskAgent',
      [{ thinking: 'The volumes first.' }, toolCall('tools.count_lines', { n: 5 })],
      [{ text: PARTIAL }, { gate: 'streamed' }, { hang: true }],
    );
    llm.route('You are LogAgent', [{ text: 'Reading the logs' }, { hang: true }]);
    llm.route('You are DbAgent', { text: 'The database is **fine**.' });
    const id = await api.submit(ALERT);
    begun += 1;
    await llm.reached('streamed', begun);
    return id;
  }

  const stop = (id: string) =>
    api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });

  const open = (path: string) => page.goto(`${dashboard.app.url}${path}`);
  const openSession = (id: string) => open(`/sessions/${id}`);

  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  test('parallel agents, one in mid-stream', async () => {
    const id = await running();
    await openSession(id);
    await page.getByText('payment-1').waitFor();
    await expectPageFits(page, 'running-stream');
    await page.getByRole('tab', { name: /LogAgent/ }).click();
    await page.getByText('Reading the logs').waitFor();
    await expectPageFits(page, 'running-other-agent', { whole: false });
    await stop(id);
  });

  test('failed, timed out, cancelled', async () => {
    await openSession(ids.failed);
    await page.getByText('The provider refused the key.').first().waitFor();
    await expectPageFits(page, 'failed');
    await openSession(ids.late);
    await page.getByText('its limit of 40 minutes').first().waitFor();
    await expectPageFits(page, 'timed-out');
    await openSession(ids.cancelled);
    await page.getByText('there is nothing to ask about').waitFor();
    await expectPageFits(page, 'cancelled');
  });

  test('the trace of parallel agents and of failures', async () => {
    await open(`/sessions/${ids.done}/trace`);
    await page.getByRole('navigation', { name: 'Stages' }).waitFor();
    await expectPageFits(page, 'trace-stages');
    await open(`/sessions/${ids.failed}/trace?failed=1`);
    await page.getByRole('checkbox', { name: /^Failures only/ }).waitFor();
    await expectPageFits(page, 'trace-failed');
  });

  test('a streaming answer and highlighted search results', async () => {
    const { llm } = dashboard.app;
    await openSession(ids.done);
    llm.script([{ text: 'Since **Friday**, when the pool ' }, { gate: 'chat' }, { text: 'shrank.' }]);
    const question = page.getByRole('textbox', { name: /question/i });
    // Ignores the height that the field has while it is being measured.
    const least = await question.evaluate((textarea) => {
      textarea.style.height = '0';
      return textarea.getBoundingClientRect().height;
    });
    expect(least).toBeGreaterThanOrEqual(24);
    await question.fill('Since when?');
    await page.keyboard.press('Enter');
    await page.getByText('when the pool').waitFor();
    await expectPageFits(page, 'chat-streaming');
    llm.open('chat');
    await page.getByText('when the pool shrank.').waitFor();
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('payment');
    await page.getByText(/of [1-9]\d*$/).waitFor();
    await page.keyboard.press('Enter');
    await expectPageFits(page, 'found-in-session', { whole: false });
  });

  test('menus and dialogs', async () => {
    const id = await running();
    await open('/');
    await page.getByRole('button', { name: /^Cancel / }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next session').waitFor();
    await expectPageFits(page, 'keys', { whole: false });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Display settings' }).click();
    await page.getByRole('menuitemradio', { name: 'UTC' }).click();
    await expectPageFits(page, 'view-menu', { whole: false });
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Cancel / }).click();
    await page.getByRole('dialog').getByText('Keep running').waitFor();
    await expectPageFits(page, 'cancel', { whole: false });
    await stop(id);
  });

  test('the options when an alert is submitted', async () => {
    await open('/submit');
    await page.getByRole('textbox', { name: /^alert/i }).fill(ALERT);
    await page.getByRole('button', { name: /^Tools/ }).click();
    await page.getByRole('radio', { name: 'Only selected servers and tools', exact: true }).click();
    await expectPageFits(page, 'submit-tools');
    await page.getByRole('combobox', { name: /Alert type/ }).click();
    await page.getByRole('listbox').waitFor();
    await expectPageFits(page, 'submit-types', { whole: false });
  });

  test('no results, loading, and without an answer', async () => {
    await page.route('**/graphql', () => undefined);
    await open('/');
    await page.getByRole('status', { name: 'Loading history' }).waitFor();
    await expectPageFits(page, 'list-loading');
    await openSession(ids.done);
    await page.getByRole('status', { name: 'Loading session' }).waitFor();
    await expectPageFits(page, 'session-loading');
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.abort());
    await open('/');
    await page.getByText('Could not load the history.').waitFor();
    await expectPageFits(page, 'list-error');
    await openSession(ids.done);
    await page.getByText('Could not load this session.').waitFor();
    await expectPageFits(page, 'session-error');
  });
});

describe.skipIf(NO_BROWSER)(browserSuite('an empty dashboard'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.stop());

  test('explains how to begin', async () => {
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await page.goto(dashboard.app.url);
    await page.getByText('No investigations yet').waitFor();
    await expectPageFits(page, 'list-empty');
    await close();
  });
});
