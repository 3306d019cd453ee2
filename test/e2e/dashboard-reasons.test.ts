import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { approvalsOf, decide } from '../helpers/approvals.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { type FreezingProxy, openFreezingProxy } from '../helpers/freezing-proxy.ts';
import { startHttpMcp } from '../helpers/mcp/http-server.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { stopPolling } from '../helpers/page-polling.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Time limit (ms) within which every page shows that a wait began or ended. The measured times are printed. */
const LIMIT_MS = 30_000;

const SOON = { timeout: 30_000, interval: 20 };
const TITLE = 'Disk of db-1 is full';
const TOKEN = 'tok-planted-9f8e7d6c5b';

function report(reason: string, what: string, since: number): void {
  process.stdout.write(
    `${reason} ${what} on three pages after ${Math.round(performance.now() - since)} ms\n`,
  );
}

describe.skipIf(NO_BROWSER)(browserSuite('the reason why a session waits'), () => {
  let dashboard: Dashboard;
  let api: ApiClient;
  let stop: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const each of stop.toReversed()) await each();
    stop = [];
  });

  async function start(options: Parameters<typeof startDashboard>[0]): Promise<void> {
    dashboard = await startDashboard({ agents: { TestAgent: { mcp_servers: [] } }, ...options });
    stop.push(() => dashboard.stop());
    api = apiClient(dashboard.app.url);
  }

  async function open(path: string): Promise<Page> {
    const { page, close } = await dashboard.open();
    stop.push(close);
    await page.addInitScript(stopPolling);
    await page.goto(`${dashboard.app.url}${path}`);
    return page;
  }

  async function reason(id: string): Promise<string | null> {
    const { session } = await api.query<{ session: { waitingFor: { reason: string } | null } }>(
      'query ($id: ID!) { session(id: $id) { waitingFor { reason } } }',
      { id },
    );
    return session.waitingFor?.reason ?? null;
  }

  interface Wait {
    /** Submits the alert of the session that comes to wait. */
    readonly begin: () => Promise<string>;
    readonly end: (id: string) => Promise<unknown>;
    readonly reason: string;
    /** Texts of the list of sessions, the session and the System page. */
    readonly texts: readonly [RegExp, RegExp, RegExp];
  }

  async function expectEverywhere(wait: Wait): Promise<void> {
    const home = await open('/');
    const system = await open('/system');
    await home.getByRole('heading', { name: 'Running' }).waitFor();
    await system.getByText('Nothing waiting').waitFor();
    const id = await wait.begin();
    const session = await open(`/sessions/${id}`);
    await session.getByRole('heading', { name: TITLE }).waitFor();
    const [atHome, atSession, atSystem] = wait.texts;
    const places = [
      home.getByText(atHome).first(),
      session.getByRole('alert').filter({ hasText: atSession }),
      system.getByRole('region', { name: 'Waiting' }).getByText(atSystem),
    ];
    await expect.poll(() => reason(id), SOON).toBe(wait.reason);
    const begun = performance.now();
    await Promise.all(places.map((place) => place.waitFor({ timeout: LIMIT_MS })));
    report(wait.reason, 'shown', begun);
    await expect.poll(() => session.getByText('Running', { exact: true }).count()).toBe(0);
    if (wait.reason === 'APPROVAL') {
      const section = home.getByRole('region', { name: 'Waiting for approval' });
      await section.getByRole('link', { name: 'Decide on tools.note' }).waitFor();
      await expectPageFits(home, 'waiting-for-approval');
    }
    await wait.end(id);
    await expect.poll(() => reason(id), SOON).not.toBe(wait.reason);
    const ended = performance.now();
    await Promise.all(places.map((place) => place.waitFor({ state: 'hidden', timeout: LIMIT_MS })));
    report(wait.reason, 'gone', ended);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  }

  test('a used-up budget shows on each page and goes with the new budget', { timeout: 240_000 }, async () => {
    await start({
      budgets: {
        monthly: { per: 'month', limit_tokens: 1_000, degrade: ['queue'], degrade_every_percent: 0 },
      },
    });
    const { llm, database } = dashboard.app;
    const pool = openTestPool(database.url);
    stop.push(() => pool.end());
    llm.otherwise([{ text: 'Done.' }, { usage: { input: 1_500, output: 0 } }]);
    await api.waitFor(await api.submit('Uses up the budget'), ({ status }) => ENDED.has(status));
    const text = /The budget monthly has used/;
    await expectEverywhere({
      begin: () => api.submit(TITLE),
      end: () => pool.query('delete from budget_uses'),
      reason: 'BUDGET',
      texts: [text, text, text],
    });
  });

  test('a model that is away shows on each page and goes when it answers', { timeout: 240_000 }, async () => {
    await start({});
    const { llm } = dashboard.app;
    llm.otherwise({ error: { code: 'provider_unavailable', retryable: true } });
    const text = /The model is unavailable/;
    await expectEverywhere({
      begin: () => api.submit(TITLE),
      end: async () => llm.otherwise({ text: 'Done.' }),
      reason: 'MODEL_UNAVAILABLE',
      texts: [text, /Waiting for the model.*The model is unavailable/, text],
    });
  });

  test('a full queue shows on each page and goes with a free slot', { timeout: 240_000 }, async () => {
    await start({ queue: { max_concurrent_sessions: 1 } });
    const { llm } = dashboard.app;
    llm.route('You are', [{ gate: 'first' }, { text: 'Done.' }]);
    llm.otherwise({ text: 'Done.' });
    await expectEverywhere({
      begin: async () => {
        await api.submit('Holds the slot');
        await llm.reached('first');
        return api.submit(TITLE);
      },
      end: async () => llm.open('first'),
      reason: 'SLOT',
      texts: [/All slots for running sessions are in use/, /next free slot/, /1 session waiting for a slot/],
    });
  });

  test('a page whose first answer is older than the wait shows the wait', { timeout: 240_000 }, async () => {
    await start({ tools: { allow_changes: false }, agents: {} });
    const { llm } = dashboard.app;
    llm.script([{ gate: 'ask' }, toolCall('tools.note', { text: 'clean up' })]);
    llm.otherwise({ text: 'Done.' });
    const id = await api.submit(TITLE);
    const { page, close } = await dashboard.open();
    stop.push(close);
    await page.addInitScript(stopPolling);
    const answered = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('"SystemState"')) return route.continue();
      const response = await route.fetch();
      answered.resolve();
      await waits.promise;
      return route.fulfill({ response });
    });
    const event = Promise.withResolvers<void>();
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (/systemStateChanged.*APPROVAL/.test(payload.toString())) event.resolve();
      }),
    );
    await page.goto(`${dashboard.app.url}/system`);
    await answered.promise;
    llm.open('ask');
    await event.promise;
    waits.resolve();
    const state = api.subscribe<{ systemStateChanged: { waiting: { reason: string }[] } }>(
      'subscription { systemStateChanged { waiting { reason } } }',
    );
    for await (const { systemStateChanged } of state) {
      expect(systemStateChanged.waiting).toEqual([{ reason: 'APPROVAL' }]);
      break;
    }
    const work = page.getByRole('region', { name: 'Waiting' });
    await work.getByText(/1 session waiting for an approval/).waitFor({ timeout: LIMIT_MS });
    await decide(api, (await approvalsOf(api, id))[0]!, true);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  });

  test('a pending approval shows on each page and goes with the decision', { timeout: 240_000 }, async () => {
    await start({ tools: { allow_changes: false }, agents: {} });
    const { llm } = dashboard.app;
    llm.script(toolCall('tools.note', { text: 'clean up' }));
    llm.otherwise({ text: 'Done.' });
    await expectEverywhere({
      begin: () => api.submit(TITLE),
      end: async (id) => decide(api, (await approvalsOf(api, id))[0]!, true),
      reason: 'APPROVAL',
      texts: [/needs approval/, /Waiting for an approval/, /1 session waiting for an approval/],
    });
  });

  test('a dead MCP server shows on each page and goes when it answers', { timeout: 240_000 }, async () => {
    const server = await startHttpMcp(TOKEN);
    stop.push(() => server.close());
    const proxy: FreezingProxy = await openFreezingProxy(`tcp://${new URL(server.url).host}`);
    stop.push(() => proxy.close());
    const url = `http://${new URL(proxy.url).host}/mcp`;
    await start({
      system: { mcp_health: { interval: '10m' } },
      mcpServers: { web: { transport: { type: 'http', url, bearer_token: TOKEN } } },
      agents: { TestAgent: { mcp_servers: ['web'] } },
    });
    dashboard.app.llm.otherwise({ text: 'Done.' });
    const healthy = '{ mcpServers { id healthy lastCheckedAt } }';
    await expect
      .poll(async () => JSON.stringify(await api.query(healthy)), SOON)
      .toMatch(/"id":"web","healthy":true,"lastCheckedAt":"/);
    await proxy.set('held');
    const text = /TestAgent waits for its MCP servers \(web\)/;
    await expectEverywhere({
      begin: () => api.submit(TITLE),
      end: () => proxy.set('pass'),
      reason: 'TOOLS',
      texts: [text, text, text],
    });
  });
});
