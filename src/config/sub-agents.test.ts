import { describe, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { resolveAgent, resolveChat, resolveSubAgent } from './resolve.ts';
import { defaultServers, monitoredServers, selectableServers } from './server-selection.ts';

/** A chain whose only stage has the agent `Lead`. */
function yaml({ agents = '', chain = '', stage = '', agent = '', chat = '' }): string {
  return `
mcp_servers:
${['logs', 'metrics'].map((id) => `  ${id}: { transport: { type: http, url: "http://127.0.0.1:1/mcp" } }`).join('\n')}
agents:
  Lead: { description: Leads }
  Log: { description: Reads logs, mcp_servers: [logs] }
  Metric: { description: Reads metrics, mcp_servers: [metrics] }
  Mute: {}
${agents}
agent_chains:
  c:
    alert_types: [t]
    ${chain}
    stages: [{ name: s, agents: [{ name: Lead ${agent} }] ${stage} }]
    ${chat}
`;
}

const names = (agents: readonly { name: string }[]) => agents.map(({ name }) => name);

describe('sub-agents by level', () => {
  test.each([
    ['none', {}, []],
    ['of the chain', { chain: 'sub_agents: [Log]' }, ['Log']],
    [
      'of the stage, before those of the chain',
      { chain: 'sub_agents: [Log]', stage: ', sub_agents: [Metric]' },
      ['Metric'],
    ],
    [
      'of the stage’s agent, before all',
      { stage: ', sub_agents: [Metric]', agent: ', sub_agents: [Log, Metric]' },
      ['Log', 'Metric'],
    ],
    ['an empty list clears', { chain: 'sub_agents: [Log]', agent: ', sub_agents: []' }, []],
  ])('%s', async (_, parts, expected) => {
    const config = await loadText(yaml(parts));
    const chain = config.chains.c!;
    const stage = chain.stages[0]!;
    expect(names(resolveAgent(config, { chain, stage, agent: stage.agents[0]! }).subAgents)).toEqual(
      expected,
    );
  });

  test("the chat's sub-agents take precedence over the chain's", async () => {
    const parts = { chain: 'sub_agents: [Log]', chat: 'chat: { sub_agents: [Metric] }' };
    const config = await loadText(yaml(parts));
    expect(names(resolveChat(config, config.chains.c!).subAgents)).toEqual(['Metric']);
    const inherits = await loadText(yaml({ chain: parts.chain }));
    expect(names(resolveChat(inherits, inherits.chains.c!).subAgents)).toEqual(['Log']);
  });
});

test('a sub-agent uses the overrides of its entry; its own sub-agents come from its agent', async () => {
  const config = await loadText(
    yaml({
      chain:
        'sub_agents: [{ name: Log, max_iterations: 3, mcp_servers: [metrics] }, Middle]\n    max_iterations: 9',
      agents: '  Middle: { description: Splits, sub_agents: [Metric] }',
    }),
  );
  const chain = config.chains.c!;
  const [log, middle] = chain.subAgents!.map((named) => resolveSubAgent(config, chain, named));
  expect(log).toMatchObject({ agentName: 'Log', maxIterations: 3, mcpServers: ['metrics'], subAgents: [] });
  expect(middle).toMatchObject({ agentName: 'Middle', maxIterations: 9 });
  expect(names(middle!.subAgents)).toEqual(['Metric']);
});

test('an alert type uses the servers of its sub-agents', async () => {
  const config = await loadText(
    yaml({
      chain: 'sub_agents: [Middle]',
      agents: '  Middle: { description: Splits, sub_agents: [Metric] }',
    }),
  );
  expect(defaultServers(config, 't')).toEqual(['metrics']);
  expect(selectableServers(config, 't')).toEqual(['metrics']);
  expect(monitoredServers(config)).toContain('metrics');
});

test('an agent can override the default limits', async () => {
  const config = await loadText(
    `defaults: { orchestrator: { max_agents: 7, agent_timeout: 1m } }${yaml({
      agent: ', sub_agents: [Log]',
    }).replace('{ description: Leads }', '{ description: Leads, orchestrator: { agent_timeout: 2m } }')}`,
  );
  const chain = config.chains.c!;
  const stage = chain.stages[0]!;
  expect(resolveAgent(config, { chain, stage, agent: stage.agents[0]! }).orchestrator).toEqual({
    maxAgents: 7,
    maxConcurrentAgents: 5,
    agentTimeoutMs: 120_000,
    maxBudgetMs: 900_000,
  });
});

describe('a start is refused for', () => {
  const deep = ['A', 'B', 'C', 'D'].map((name, n, all) => {
    const below = all[n + 1] ? `, sub_agents: [${all[n + 1]}]` : '';
    return `  ${name}: { description: x${below} }`;
  });
  test.each([
    ['an agent that there is not', { chain: 'sub_agents: [Lgo]' }, 'no agent is named "Lgo"'],
    ['… in the long form', { agent: ', sub_agents: [{ name: Lgo }]' }, 'no agent is named "Lgo"'],
    [
      'an MCP server that there is not',
      { chain: 'sub_agents: [{ name: Log, mcp_servers: [lgo] }]' },
      'no MCP server is named "lgo"',
    ],
    [
      'a key that there is not',
      { chain: 'sub_agents: [{ name: Log, max_iteration: 3 }]' },
      'unknown key, did you mean "max_iterations"?',
    ],
    [
      'an agent that names itself',
      { chain: 'sub_agents: [Log, Lead]' },
      'the agent Lead is its own sub-agent',
    ],
    [
      'a circle',
      {
        chain: 'sub_agents: [A]',
        agents: '  A: { description: x, sub_agents: [B] }\n  B: { description: x, sub_agents: [A] }',
      },
      'sub-agents in a circle: Lead → A → B → A',
    ],
    [
      'one twice',
      { chain: 'sub_agents: [Log, { name: Log }]' },
      'the agent Lead has the sub-agent Log twice',
    ],
    [
      'one without a description',
      { stage: ', sub_agents: [Mute]' },
      'the sub-agent Mute of Lead needs a description',
    ],
    [
      'an agent that calls no tools',
      { stage: ', sub_agents: [Log], iteration_strategy: single-call' },
      'uses single-call, which calls no tools',
    ],
    [
      'more than three levels',
      { chain: 'sub_agents: [A]', agents: deep.join('\n') },
      'are more than 3 levels below',
    ],
    [
      'limits on a stage, where they would count for nothing',
      { stage: ', orchestrator: { max_agents: 1 }' },
      'agent_chains.c.stages[0].orchestrator: unknown key',
    ],
    ['a limit of none', { agents: '  X: { orchestrator: { max_agents: 0 } }' }, 'must be at least 1'],
  ])('%s', async (_, parts, message) => {
    await expect(loadText(yaml(parts))).rejects.toThrow(message);
  });

  test('a circle behind an agent of the file in a built-in chain', async () => {
    const text = 'agents: { KubernetesAgent: { description: x, sub_agents: [KubernetesAgent] } }';
    await expect(loadText(text)).rejects.toThrow('the agent KubernetesAgent is its own sub-agent');
  });
});

test('three levels are allowed', async () => {
  const agents = `  A: { description: x, sub_agents: [B] }
  B: { description: x, sub_agents: [Log] }`;
  await expect(loadText(yaml({ chain: 'sub_agents: [A]', agents }))).resolves.toBeDefined();
});
