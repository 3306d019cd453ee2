import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Lead starts two sub-agents, and one of these starts a sub-agent of its own. */
const AGENTS = {
  Lead: { sub_agents: ['Disks', 'Logs'], max_iterations: 12 },
  Disks: { description: 'Looks at disks', sub_agents: ['Files'], max_iterations: 12 },
  Files: { description: 'Looks at files', mcp_servers: ['tools'] },
  Logs: { description: 'Reads logs', mcp_servers: ['tools'] },
};

function answerOf({ messages }: GenerateRequest): Step | readonly Step[] {
  const name = /You are the agent (\w+)\./.exec(messages[0]!.content)?.[1];
  const isFirst = !messages.some(({ role }) => role === 'assistant');
  const told = messages.filter(({ content }) => content.startsWith('Your sub-agent ')).length;
  const dispatch = (to: string) =>
    toolCall('tarsy.dispatch_agent', { name: to, task: `What do ${to.toLowerCase()} say?` }, `call-${to}`);
  if (name === 'Lead') {
    if (isFirst) return ['Disks', 'Logs'].map(dispatch);
    return { text: told < 2 ? 'I wait for the others.' : 'A log that nobody rotates fills the disk.' };
  }
  if (name === 'Disks') {
    if (isFirst) return dispatch('Files');
    return { text: told === 0 ? 'I wait.' : '**/var** is full of one file.' };
  }
  if (name === 'Files' || name === 'Logs')
    return isFirst
      ? toolCall('tools.echo', { text: '/var/log/api.log 48 GiB' })
      : { text: 'api.log has 48 GiB.' };
  return { text: 'In short: rotate the log.' };
}

describe.skipIf(NO_BROWSER)(browserSuite('agents with sub-agents'), { timeout: 120_000 }, () => {
  let dashboard: Dashboard;
  let id = '';
  beforeAll(async () => {
    dashboard = await startDashboard({
      agents: AGENTS,
      stages: [{ name: 'investigation', agents: [{ name: 'Lead' }] }],
    });
    dashboard.app.llm.otherwise(answerOf);
    const api = apiClient(dashboard.app.url);
    id = await api.submit('Disk full on db-1');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  }, 120_000);
  afterAll(() => dashboard?.stop());

  test.each([
    ['session', '', /Disks/],
    ['trace', '/trace', /Files/],
  ])('%s: shows which agent started which, and the results', async (name, path, shown) => {
    const { page, close } = await dashboard.open();
    await page.goto(`${dashboard.app.url}/sessions/${id}${path}`);
    await page.getByText(shown).first().waitFor();
    await expectPageFits(page, `sub-agents-${name}`);
    await close();
  });

  test('trace: shows a sub-agent below the call that started it', async () => {
    const { page, close } = await dashboard.open();
    await page.goto(`${dashboard.app.url}/sessions/${id}/trace`);
    const rows = page.getByRole('group', { name: 'Lead' }).locator('> ol > li');
    await rows.first().waitFor();
    const after = async (task: RegExp): Promise<number> => {
      const texts = await rows.allInnerTexts();
      return texts.findIndex((text) => task.test(text));
    };
    for (const [name, below] of [
      ['Disks', 'Files'],
      ['Logs', null],
    ] as const) {
      const agent = await after(new RegExp(`^${name}\\b`));
      expect(await rows.nth(agent - 1).innerText()).toContain('dispatch_agent');
      const inner = rows.nth(agent).getByRole('group', { name: below ?? 'none' });
      expect(await inner.count()).toBe(below === null ? 0 : 1);
    }
    await close();
  });
});
