import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

const SOON = { timeout: 30_000 };
const AGENTS = {
  Lead: { sub_agents: ['Disks', 'Logs'], max_iterations: 12 },
  Disks: { description: 'Looks at disks', mcp_servers: ['tools'] },
  Logs: { description: 'Reads logs' },
  Checker: { mcp_servers: [] },
};

/** Lead starts two sub-agents. Disks has called a tool and Logs thinks, both until the gate `look` opens. */
function answerOf({ messages }: GenerateRequest): Step | readonly Step[] {
  const name = /You are the agent (\w+)\./.exec(messages[0]!.content)?.[1];
  const isFirst = !messages.some(({ role }) => role === 'assistant');
  if (name === 'Lead') {
    if (isFirst)
      return ['Disks', 'Logs'].map((to) =>
        toolCall('tarsy.dispatch_agent', { name: to, task: `Look at ${to}.` }, `call-${to}`),
      );
    const told = messages.filter(({ content }) => content.startsWith('Your sub-agent ')).length;
    return { text: told < 2 ? 'I wait for the others.' : 'One log fills the disk.' };
  }
  if (name === 'Disks')
    return isFirst ? toolCall('tools.echo', { text: '/var 94 %' }) : [{ gate: 'look' }, { text: 'Full.' }];
  if (name === 'Logs') return [{ thinking: 'Which log grows?' }, { gate: 'look' }, { text: 'api.log' }];
  return { text: 'One log fills the disk.' };
}

describe.skipIf(NO_BROWSER)(browserSuite('the plan of an investigation'), { timeout: 120_000 }, () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({
      agents: AGENTS,
      stages: [
        { name: 'look', agents: [{ name: 'Lead' }] },
        { name: 'verify', agents: [{ name: 'Checker' }] },
      ],
    });
    dashboard.app.llm.otherwise(answerOf);
  });
  afterAll(() => dashboard?.stop());

  test('names all stages, those to come included, and what each sub-agent does now', async () => {
    const { app } = dashboard;
    const api = apiClient(app.url);
    const id = await api.submit('Disk full on db-1');
    await app.llm.reached('look', 2);
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
    await page.goto(`${app.url}/sessions/${id}`);
    const plan = page.getByRole('region', { name: 'Plan' });
    const steps = plan.getByRole('list', { name: 'Stages' }).getByRole('listitem');
    await expect.poll(() => steps.count(), SOON).toBe(3);
    expect(await steps.nth(0).getAttribute('aria-current')).toBe('step');
    expect(await steps.nth(0).innerText()).toMatch(/1\. look\s+Lead\s+Running\s+(\d+ m )?\d+ s/);
    expect(await steps.nth(1).innerText()).toMatch(/2\. verify\s+Checker\s+To come/);
    expect(await steps.nth(2).innerText()).toMatch(/3\. Final analysis\s+\S+\s+To come/);
    await page
      .locator('header')
      .getByText(/1 of 3: look/)
      .waitFor();
    const now = plan.getByRole('list', { name: 'Agents at work' }).getByRole('listitem');
    await now.filter({ hasText: /Lead.*waiting for 2 of 2 sub-agents/ }).waitFor();
    await now.filter({ hasText: /Disks.*tools\.echo/ }).waitFor();
    await now.filter({ hasText: /Logs.*thinking/ }).waitFor();
    await expectPageFits(page, 'plan');
    await page.setViewportSize({ width: 1440, height: 900 });
    app.llm.open('look');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await plan.waitFor({ state: 'detached' });
    const ended = page.getByRole('region', { name: 'Stages' }).getByRole('listitem');
    await expect.poll(() => ended.count(), SOON).toBe(3);
    expect(await ended.nth(1).innerText()).toMatch(/2\. verify\s+Checker\s+Completed/);
    await close();
  });
});
