import { describe, expect, test } from 'vitest';
import { chainYaml, LEVELS, resolved } from '../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { expectedStages } from './expected-stages.ts';
import { chainForAlertType, resolveAgent, resolveSuccessPolicy } from './resolve.ts';
import type { StageConfig } from './types.ts';

describe('the highest level that sets a value wins', () => {
  const values = {
    max_iterations: ['1', '2', '3', '4', '5'],
    llm_provider: ['google-default', 'openai-default', 'xai-default', 'anthropic-default', 'gemini-2.5-pro'],
    iteration_strategy: ['react', 'langchain', 'single-call', 'react', 'langchain'],
    mcp_servers: ['', '[one]', '[two]', '[three]', '[four, one]'],
  } as const;
  const expected = {
    max_iterations: [1, 2, 3, 4, 5],
    llm_provider: values.llm_provider,
    iteration_strategy: ['REACT', 'LANGCHAIN', 'SINGLE_CALL', 'REACT', 'LANGCHAIN'],
    mcp_servers: [[], ['one'], ['two'], ['three'], ['four', 'one']],
  } as const;
  const fields = {
    max_iterations: 'maxIterations',
    llm_provider: 'providerName',
    iteration_strategy: 'strategy',
    mcp_servers: 'mcpServers',
  } as const;
  const keys = Object.keys(values) as (keyof typeof values)[];
  // `mcp_servers` is no key of `defaults`.
  const rows = keys
    .flatMap((key) => LEVELS.map((level, index) => [key, level, index] as const))
    .filter(([key, level]) => key !== 'mcp_servers' || level !== 'defaults');

  test.each(rows)('%s: up to %s', async (key, _, highest) => {
    // Every level up to `highest` sets a different value.
    const settings = Object.fromEntries(
      LEVELS.slice(0, highest + 1).flatMap((level, index) =>
        key === 'mcp_servers' && level === 'defaults' ? [] : [[level, `${key}: ${values[key][index]}`]],
      ),
    );
    expect((await resolved(settings))[fields[key]]).toEqual(expected[key][highest]);
  });

  test.each(rows)('%s: only %s', async (key, level, index) => {
    expect((await resolved({ [level]: `${key}: ${values[key][index]}` }))[fields[key]]).toEqual(
      expected[key][index],
    );
  });

  test('an empty list of servers means none', async () => {
    expect(
      (await resolved({ agent: 'mcp_servers: [one]', stageAgent: 'mcp_servers: []' })).mcpServers,
    ).toEqual([]);
  });
});

test.each([
  [{ defaults: 'timeouts: { iteration: 1m }' }, 60_000],
  [{ defaults: 'timeouts: { iteration: 1m }', agent: 'iteration_timeout: 2m' }, 120_000],
  [{ agent: 'iteration_timeout: 2m', chain: 'iteration_timeout: 20m' }, 1_200_000],
  [{ chain: 'iteration_timeout: 3m', stage: 'iteration_timeout: 4m' }, 240_000],
  [{ stage: 'iteration_timeout: 4m', stageAgent: 'iteration_timeout: 5s' }, 5_000],
] as const)('the time of an iteration with %j', async (settings, iterationMs) => {
  const { timeouts } = await resolved(settings);
  expect(timeouts).toMatchObject({ iterationMs, llmOutageMs: 900_000 });
});

describe('strategy and backend', () => {
  test.each([
    ['google-default', undefined, 'NATIVE_THINKING', 'google-native'],
    ['openai-default', undefined, 'LANGCHAIN', 'langchain'],
    ['vertexai-default', undefined, 'LANGCHAIN', 'langchain'],
    ['offline', undefined, 'LANGCHAIN', 'offline'],
    ['google-default', 'langchain', 'LANGCHAIN', 'langchain'],
    ['google-default', 'react', 'REACT', 'langchain'],
    ['google-default', 'single-call', 'SINGLE_CALL', 'langchain'],
    ['google-default', 'synthesis', 'SYNTHESIS', 'langchain'],
    ['google-default', 'synthesis-native-thinking', 'SYNTHESIS_NATIVE_THINKING', 'google-native'],
    ['offline', 'native-thinking', 'NATIVE_THINKING', 'offline'],
    ['offline', 'react', 'REACT', 'offline'],
  ])('%s with %s', async (provider, strategy, expected, backend) => {
    const agent = await resolved({
      stageAgent: `llm_provider: ${provider}${strategy ? `, iteration_strategy: ${strategy}` : ''}`,
    });
    expect(agent).toMatchObject({ strategy: expected, backend, provider: { name: provider } });
  });
});

test("an agent's own settings are resolved", async () => {
  const agent = await resolved({
    agent: 'native_tools: { code_execution: true }',
    chain: 'llm_provider: google-default',
  });
  expect(agent).toMatchObject({ agentName: 'A', customInstructions: 'Look.', maxIterations: 20 });
  expect(agent.timeouts).toEqual({
    iterationMs: 360_000,
    llmCallMs: 300_000,
    llmFirstTokenMs: 120_000,
    llmStallMs: 60_000,
    toolCallMs: 90_000,
    mcpInitMs: 30_000,
    conclusionReserveMs: 180_000,
    executiveSummaryMs: 120_000,
    reportMs: 240_000,
    scoringMs: 600_000,
    llmOutageMs: 900_000,
  });
  expect(agent.provider.nativeTools).toEqual({
    google_search: false,
    code_execution: true,
    url_context: false,
  });
});

test.each([
  [{}, 'ANY'],
  [{ defaults: 'success_policy: all' }, 'ALL'],
  [{ defaults: 'success_policy: all', chain: 'success_policy: any' }, 'ANY'],
  [{ chain: 'success_policy: any', stage: 'success_policy: all' }, 'ALL'],
] as const)('success policy %j', async (settings, policy) => {
  const config = await loadText(chainYaml(settings));
  const chain = config.chains.c!;
  expect(resolveSuccessPolicy(config, chain, chain.stages[0]!)).toBe(policy);
});

test('finds the chain for an alert', async () => {
  const config = await loadText(chainYaml({}));
  expect(chainForAlertType(config, 't')).toMatchObject({ alertType: 't', chain: { id: 'c' } });
  expect(chainForAlertType(config, null)).toMatchObject({ alertType: 't', chain: { id: 'c' } });
  expect(chainForAlertType(config, 'kubernetes')).toMatchObject({
    chain: { id: 'kubernetes', origin: 'BUILTIN' },
  });
  for (const type of ['', 'T', 'constructor', '__proto__'])
    expect(chainForAlertType(config, type)).toBeNull();
});

test('a missing name in a hand-built configuration throws a ConfigError', async () => {
  const config = await loadText(chainYaml({}));
  const chain = config.chains.c!;
  const agent = { ...chain.stages[0]!.agents[0]!, name: 'toString' };
  expect(() => resolveAgent(config, { chain, stage: chain.stages[0]!, agent })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );
});

test('counts a synthesis for each stage of several agents, the final analysis of several stages, and the report', async () => {
  const config = await loadText('');
  const chain = config.chains[Object.keys(config.chains)[0]!]!;
  const stage = (agents: number, replicas = 1): StageConfig => ({
    ...chain.stages[0]!,
    agents: Array<StageConfig['agents'][number]>(agents).fill(chain.stages[0]!.agents[0]!),
    replicas,
  });
  const count = (enabled: boolean, ...stages: StageConfig[]) =>
    expectedStages(config, { ...chain, report: { ...chain.report, enabled }, stages }).length;
  expect(count(false, stage(1))).toBe(1);
  expect(count(true, stage(1))).toBe(2);
  expect(count(false, stage(1), stage(2), stage(1, 3), stage(1))).toBe(7);
});
