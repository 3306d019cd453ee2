import { expect, test } from 'vitest';
import { chainYaml } from '../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../test/fixtures/config/load-text.ts';

const warningsOf = async (yaml: string) => (await loadText(yaml)).warnings;
const slow = (timeout: string) => `
mcp_servers:
  slow: { transport: { type: stdio, command: x, timeout: ${timeout} } }
agents:
  A: { mcp_servers: [slow], iteration_timeout: 2m }
  B: { mcp_servers: [slow], iteration_timeout: 30m }
agent_chains:
  c: { alert_types: [t], chat: { enabled: false }, stages: [{ name: s, agents: [{ name: A }, { name: B }] }] }
`;

test('does not warn about effective limits', async () => {
  expect(await warningsOf('')).toEqual([]);
  expect(await warningsOf(slow('2m'))).toEqual([]);
  expect(
    await warningsOf(chainYaml({ defaults: 'timeouts: { mcp_operation: 6m, llm_outage: 40m }' })),
  ).toEqual([]);
});

test('warns about limits longer than the session timeout', async () => {
  const settings = {
    defaults: 'timeouts: { iteration: 20m, llm_outage: 20m, executive_summary: 5m }',
    agent: 'iteration_timeout: 30m',
    chain: 'iteration_timeout: 10m',
    stage: 'iteration_timeout: 10m1s',
    stageAgent: 'iteration_timeout: 11m',
  };
  const ends = 'has no effect: queue.session_timeout (10m) ends the work before';
  expect(await warningsOf(`queue: { session_timeout: 10m }\n${chainYaml(settings)}`)).toEqual([
    `defaults.timeouts.iteration (20m) ${ends}`,
    `defaults.timeouts.llm_outage (20m) ${ends}`,
    `agents.A.iteration_timeout (30m) ${ends}`,
    `agent_chains.c.stages[0].iteration_timeout (10m1s) ${ends}`,
    `agent_chains.c.stages[0].agents[0].iteration_timeout (11m) ${ends}`,
  ]);
});

test('warns about a server timeout longer than the iterations of some agents', async () => {
  expect(await warningsOf(slow('10m'))).toEqual([
    'mcp_servers.slow.transport.timeout (10m) has no effect where iterations end before: A (2m)',
  ]);
});

test.each(['tool_call', 'mcp_operation'])(
  'warns about %s if the iterations of an agent end earlier',
  async (key) => {
    const settings = {
      defaults: `timeouts: { ${key}: 5m }`,
      agent: 'mcp_servers: [one], iteration_timeout: 1m',
    };
    expect(await warningsOf(chainYaml(settings))).toEqual([
      `defaults.timeouts.${key} (5m) has no effect where iterations end before: A (1m)`,
    ]);
    const unset = { agent: 'mcp_servers: [one], iteration_timeout: 1m' };
    expect(await warningsOf(chainYaml(unset))).toEqual([]);
  },
);

test('warns if both names of a limit are set', async () => {
  const config = await loadText('defaults: { timeouts: { tool_call: 10s, mcp_operation: 3m } }\n');
  expect(config.warnings).toEqual([
    'defaults.timeouts.mcp_operation has no effect: tool_call, its newer name, takes precedence',
  ]);
  expect(config.defaults.timeouts.toolCallMs).toBe(10_000);
  const older = await loadText('defaults: { timeouts: { mcp_operation: 3m } }\n');
  expect(older.defaults.timeouts.toolCallMs).toBe(180_000);
});
