import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import {
  browserSuite,
  type Dashboard,
  type GuardedPage,
  NO_BROWSER,
  startDashboard,
} from '../helpers/dashboard.ts';
import { expectFit, SCHEMES } from '../helpers/look.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 });

let dashboard: Dashboard;
let guarded: GuardedPage;
let page: Page;

describe.skipIf(NO_BROWSER)(browserSuite('what an investigation rests on'), () => {
  beforeAll(async () => {
    dashboard = await startDashboard({
      mcpServers: { metrics: { transport: { type: 'http', url: 'http://127.0.0.1:2/mcp' } } },
      agents: { TestAgent: { mcp_servers: ['tools', 'metrics'] } },
    });
  });
  afterAll(() => dashboard.stop());
  beforeEach(async () => {
    guarded = await dashboard.open({ reducedMotion: 'reduce' });
    ({ page } = guarded);
  });
  afterEach(() => guarded.close());

  async function investigate(...turns: ReturnType<typeof toolCall>[]): Promise<string> {
    const { llm, url } = dashboard.app;
    llm.script(...turns.map((turn) => [turn]), { text: 'The disk is full.' }, { text: 'Short.' });
    const api = apiClient(url);
    const id = await api.submit('disk full');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await page.goto(`${url}/sessions/${encodeURIComponent(id)}`);
    return page.getByRole('note', { name: 'What it rests on' }).innerText();
  }

  test('nothing but the alert: said first, and in red', async () => {
    const note = await investigate();
    expect(note).toMatch(/^Nothing was measured/);
    expect(note).toContain('Without metrics: ');
    for (const scheme of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme });
      await expectFit(page, 'nothing-measured', scheme);
    }
  });

  test('calls are counted, and what failed is said', async () => {
    const note = await investigate(toolCall('tools.echo', { text: 'a' }), toolCall('tools.fail'));
    expect(note).toMatch(/^Rests on 2 calls of tools, 1 of which failed\./);
    await expectFit(page, 'rests-on', 'light');
  });
});
