import { describe, expect, test } from 'vitest';
import { chainYaml, type Level, resolved } from '../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { resolveChat, resolveSynthesis } from './resolve.ts';
import {
  isScoredAutomatically,
  resolveExecutiveSummary,
  resolveScoring,
  resolveSummarization,
} from './resolve-calls.ts';

describe('synthesis', () => {
  test.each([
    ['chain', 'llm_provider: google-default', 'SYNTHESIS_NATIVE_THINKING', 'google-native'],
    ['chain', 'llm_provider: openai-default', 'SYNTHESIS', 'langchain'],
    ['stage', 'llm_provider: gemini-2.5-pro', 'SYNTHESIS_NATIVE_THINKING', 'google-native'],
    ['defaults', 'llm_provider: google-default, iteration_strategy: langchain', 'SYNTHESIS', 'langchain'],
    [
      'stage',
      'synthesis: { llm_provider: google-default, iteration_strategy: synthesis }',
      'SYNTHESIS',
      'langchain',
    ],
    ['stage', 'synthesis: { agent: A }', 'SYNTHESIS', 'offline'],
  ] as const)('%s: %s', async (level, setting, strategy, backend) => {
    const config = await loadText(chainYaml({ [level]: setting }));
    const chain = config.chains.c!;
    const agent = resolveSynthesis(config, { chain, stage: chain.stages[0]! });
    expect(agent).toMatchObject({ strategy, backend, maxIterations: 1, mcpServers: [] });
  });

  test('uses its own provider without native thinking', async () => {
    const yaml = chainYaml({
      defaults: 'llm_provider: google-default, iteration_strategy: native-thinking',
      stage: 'synthesis: { llm_provider: openai-default }',
    });
    const config = await loadText(yaml);
    const chain = config.chains.c!;
    expect(resolveSynthesis(config, { chain, stage: chain.stages[0]! })).toMatchObject({
      agentName: 'SynthesisAgent',
      providerName: 'openai-default',
      strategy: 'SYNTHESIS',
      backend: 'langchain',
    });
  });
});

describe('chat', () => {
  const chatOf = async (settings: Partial<Record<Level, string>>, chat = '') => {
    const config = await loadText(chainYaml(settings, chat && `    chat: { ${chat} }`));
    return resolveChat(config, config.chains.c!);
  };
  test('uses the servers of the stages', async () => {
    const chat = await chatOf({ agent: 'mcp_servers: [one]', stage: 'mcp_servers: [two, two]' });
    expect(chat).toMatchObject({ agentName: 'ChatAgent', mcpServers: ['two'] });
  });
  test('uses the servers of the chain or its own', async () => {
    expect((await chatOf({ chain: 'mcp_servers: [three]', agent: 'mcp_servers: [one]' })).mcpServers).toEqual(
      ['three'],
    );
    const own = await chatOf(
      { chain: 'mcp_servers: [three]' },
      'agent: A, mcp_servers: [four], max_iterations: 4',
    );
    expect(own).toMatchObject({ agentName: 'A', mcpServers: ['four'], maxIterations: 4 });
  });
  test('uses the servers of its agent if no other level has any', async () => {
    expect(
      (await chatOf({ agent: 'mcp_servers: [one]', stage: 'mcp_servers: []' }, 'agent: A')).mcpServers,
    ).toEqual(['one']);
  });
  test('provider and strategy: defaults, agent, chain, chat', async () => {
    const defaults = 'llm_provider: openai-default';
    expect((await chatOf({ defaults })).providerName).toBe('openai-default');
    expect((await chatOf({ defaults, chain: 'llm_provider: xai-default' })).providerName).toBe('xai-default');
    const own = await chatOf(
      { defaults, chain: 'llm_provider: xai-default' },
      'llm_provider: google-default',
    );
    expect(own).toMatchObject({
      providerName: 'google-default',
      strategy: 'NATIVE_THINKING',
      backend: 'google-native',
    });
  });
});

describe('single calls', () => {
  test.each([
    ['defaults', 'llm_provider: openai-default', 'openai-default', 'langchain'],
    ['defaults', 'llm_provider: google-default', 'google-default', 'google-native'],
    ['chain', 'llm_provider: google-default', 'google-default', 'google-native'],
    ['chain', 'executive_summary_provider: gemini-2.5-flash', 'gemini-2.5-flash', 'google-native'],
    ['stage', 'llm_provider: google-default', 'offline', 'offline'],
    [
      'defaults',
      'llm_provider: google-default, iteration_strategy: langchain',
      'google-default',
      'langchain',
    ],
  ] as const)('executive summary, %s: %s', async (level, setting, providerName, backend) => {
    const config = await loadText(chainYaml({ [level]: setting }));
    const summary = resolveExecutiveSummary(config, config.chains.c!);
    expect(summary).toMatchObject({ providerName, backend, strategy: 'SINGLE_CALL' });
  });

  test("an executive summary by a provider that does not support the chain's strategy", async () => {
    const chain =
      'llm_provider: google-default\n    iteration_strategy: native-thinking\n    executive_summary_provider: openai-default';
    const config = await loadText(chainYaml({ chain }));
    expect(resolveExecutiveSummary(config, config.chains.c!)).toMatchObject({
      providerName: 'openai-default',
      backend: 'langchain',
    });
  });

  test('summaries of results: server, defaults, agent', async () => {
    const summarization = (provider: string) => `summarization: { llm_provider: ${provider} }`;
    const agent = await resolved({ chain: 'llm_provider: google-default' });
    const none = await loadText(chainYaml({}));
    const byDefault = await loadText(chainYaml({ defaults: summarization('openai-default') }));
    const byServer = await loadText(
      chainYaml({ defaults: summarization('openai-default') }).replace(
        'one: { transport:',
        `one: { ${summarization('xai-default')}, transport:`,
      ),
    );
    expect(resolveSummarization(none, 'one', agent)).toEqual({
      providerName: 'google-default',
      provider: agent.provider,
      backend: 'google-native',
      strategy: 'SINGLE_CALL',
      fallbacks: [],
    });
    expect(resolveSummarization(byDefault, 'one', agent)).toMatchObject({
      providerName: 'openai-default',
      backend: 'langchain',
    });
    expect(resolveSummarization(byServer, 'one', agent).providerName).toBe('xai-default');
    expect(resolveSummarization(byServer, 'two', agent).providerName).toBe('openai-default');
  });
});

describe('scores', () => {
  const OTHER = 'scoring: { llm_provider: openai-default }';
  test.each([
    [{}, 'offline', 'SINGLE_CALL'],
    [{ chain: 'llm_provider: google-default' }, 'google-default', 'SINGLE_CALL'],
    [{ chain: 'llm_provider: google-default', defaults: OTHER }, 'openai-default', 'SINGLE_CALL'],
    [{ chain: 'scoring: { llm_provider: xai-default }', defaults: OTHER }, 'xai-default', 'SINGLE_CALL'],
    [
      { defaults: 'llm_provider: openai-default, iteration_strategy: react' },
      'openai-default',
      'REACT', // agents use these models as text, so the judge does too
    ],
  ] as const)('%j: the judge is %s', async (settings, providerName, strategy) => {
    const config = await loadText(chainYaml(settings));
    expect(resolveScoring(config, config.chains.c!)).toMatchObject({ providerName, strategy, fallbacks: [] });
  });

  test("the provider of the chain's scoring, or of the defaults, is used", async () => {
    const list = (name: string) => `fallback_providers: [{ provider: ${name} }]`;
    const keys = { OPENAI_API_KEY: 'a-key-of-a-test' };
    const defaults = list('openai-default');
    for (const [settings, fallbacks] of [
      [{ defaults }, ['openai-default']],
      [{ defaults, chain: list('offline') }, ['offline']],
    ] as const) {
      const config = await loadText(chainYaml(settings), keys);
      expect(resolveScoring(config, config.chains.c!)).toMatchObject({ fallbacks });
    }
  });

  test.each([
    [{}, false],
    [{ defaults: 'scoring: { enabled: true }' }, true],
    [{ defaults: 'scoring: { enabled: true }', chain: 'scoring: { enabled: false }' }, false],
    [{ chain: 'scoring: { enabled: true }' }, true],
  ] as const)('%j: by itself %s', async (settings, itself) => {
    const config = await loadText(chainYaml(settings));
    expect(isScoredAutomatically(config, config.chains.c!)).toBe(itself);
  });
});
