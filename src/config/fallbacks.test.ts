import { expect, test } from 'vitest';
import { chainYaml, LEVELS } from '../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { resolveAgent, resolveChat, withProvider } from './resolve.ts';
import { resolveExecutiveSummary, resolveReport } from './resolve-calls.ts';

const KEYS = { GOOGLE_API_KEY: 'a-key-of-a-test', OPENAI_API_KEY: 'another', ANTHROPIC_API_KEY: 'a-third' };
const NAMES = ['google-default', 'openai-default', 'anthropic-default', 'gemini-2.5-pro', 'offline'];
const line = (...names: string[]) =>
  `fallback_providers: [${names.map((name) => `{ provider: ${name} }`).join(', ')}]`;

async function resolved(settings: Parameters<typeof chainYaml>[0], rest = '') {
  const config = await loadText(chainYaml(settings, rest), KEYS);
  const chain = config.chains.c!;
  const stage = chain.stages[0]!;
  return { config, chain, agent: resolveAgent(config, { chain, stage, agent: stage.agents[0]! }) };
}

test.each(LEVELS.map((level, index) => [level, index] as const))(
  'the highest level that sets fallbacks wins: %s',
  async (level, highest) => {
    const below = LEVELS.slice(0, highest + 1).map((at, index) => [at, line(NAMES[index]!)] as const);
    expect((await resolved(Object.fromEntries(below))).agent.fallbacks).toEqual([NAMES[highest]]);
    expect((await resolved({ [level]: line('openai-default', 'offline') })).agent.fallbacks).toEqual([
      'openai-default',
      'offline',
    ]);
  },
);

test('an empty list clears the fallbacks of lower levels', async () => {
  const { agent } = await resolved({ defaults: line('offline'), stage: 'fallback_providers: []' });
  expect(agent.fallbacks).toEqual([]);
});

test('questions use the fallbacks of the chat, else of the chain; report and summary those of the chain', async () => {
  const of = async (rest: string) => {
    const { config, chain } = await resolved(
      { defaults: line('offline'), chain: line('openai-default') },
      rest,
    );
    return [
      resolveChat(config, chain),
      resolveReport(config, chain)!,
      resolveExecutiveSummary(config, chain),
    ].map(({ fallbacks }) => fallbacks);
  };
  const chain = ['openai-default'];
  expect(await of('')).toEqual([chain, chain, chain]);
  expect(await of(`    chat: { ${line('anthropic-default')} }\n`)).toEqual([
    ['anthropic-default'],
    chain,
    chain,
  ]);
});

test('another provider works like the first one, without Google-only features', async () => {
  const { config, agent } = await resolved({
    agent: 'llm_provider: google-default, native_tools: { google_search: true }',
  });
  expect(agent).toMatchObject({ strategy: 'NATIVE_THINKING', backend: 'google-native' });
  expect(withProvider(config, agent, 'anthropic-default')).toMatchObject({
    providerName: 'anthropic-default',
    provider: { type: 'anthropic' },
    strategy: 'LANGCHAIN',
    backend: 'langchain',
  });
  expect(withProvider(config, agent, 'gemini-2.5-pro')).toMatchObject({
    strategy: 'NATIVE_THINKING',
    provider: { model: 'gemini-2.5-pro', nativeTools: { google_search: true } },
  });
  const react = { ...agent, strategy: 'REACT' as const };
  expect(withProvider(config, react, 'offline')).toMatchObject({ strategy: 'REACT', backend: 'offline' });
});

test.each([
  ['defaults', 'defaults.fallback_providers[0].provider'],
  ['agent', 'agents.A.fallback_providers[0].provider'],
  ['chain', 'agent_chains.c.fallback_providers[0].provider'],
  ['stage', 'agent_chains.c.stages[0].fallback_providers[0].provider'],
  ['stageAgent', 'agent_chains.c.stages[0].agents[0].fallback_providers[0].provider'],
] as const)('refuses to start with a fallback that could not take over: %s', async (level, path) => {
  const start = (name: string, env: Record<string, string> = {}) =>
    loadText(chainYaml({ [level]: line(name) }), env).then(() => 'started', String);
  const unknown = await start('opnai-default');
  expect(unknown).toContain(`${path}: no LLM provider is named "opnai-default"`);
  const keyless = await start('openai-default');
  expect(keyless).toContain(path);
  expect(keyless).toContain('OPENAI_API_KEY is not set');
  expect(await start('openai-default', KEYS)).toBe('started');
  // With an external LLM service, keys are not checked, because they are unknown.
  expect(await start('openai-default', { LLM_SERVICE_ADDR: 'llm:50051' })).toBe('started');
});

test('refuses the key backend of a fallback, because the strategy decides it', async () => {
  const problems = await loadText(
    'defaults: { fallback_providers: [{ provider: offline, backend: langchain }] }',
  ).then(() => '', String);
  expect(problems).toContain('defaults.fallback_providers[0].backend: unknown key');
  expect(problems).toContain('the iteration strategy decides it here');
});
