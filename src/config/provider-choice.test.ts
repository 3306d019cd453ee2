import { describe, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { chooseProvider } from './provider-choice.ts';

const NO_DEFAULTS = { llmProvider: null, iterationStrategy: null };

describe('the provider', () => {
  const none = 'GOOGLE_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY, XAI_API_KEY';
  test('is offline without a key and gives the reason', async () => {
    const { providerChoice } = await loadText('');
    expect(providerChoice).toEqual({
      name: 'offline',
      reason: `no provider key is set (${none}); no language model is used`,
    });
  });

  test.each([
    [
      { GOOGLE_API_KEY: 'k', OPENAI_API_KEY: 'k' },
      ['google-native', 'langchain', 'offline'],
      'google-default',
    ],
    [
      { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
      ['google-native', 'langchain', 'offline'],
      'anthropic-default',
    ],
    [{ GOOGLE_API_KEY: 'k', XAI_API_KEY: 'k' }, ['langchain', 'offline'], 'xai-default'],
    [{ GOOGLE_API_KEY: '' }, ['google-native', 'offline'], 'offline'],
  ] as const)('is the first with a key and a backend: %j, %j', async (env, available, name) => {
    const { llmProviders } = await loadText('');
    expect(chooseProvider(NO_DEFAULTS, llmProviders, env, available).name).toBe(name);
  });

  test('is Gemini when its key is set', async () => {
    const { providerChoice, warnings } = await loadText('', { GOOGLE_API_KEY: 'k' });
    expect(providerChoice).toEqual({ name: 'google-default', reason: 'GOOGLE_API_KEY is set' });
    expect(warnings).toEqual([]);
  });

  test('gives the reason if a key is not usable yet', async () => {
    const { llmProviders } = await loadText('');
    expect(chooseProvider(NO_DEFAULTS, llmProviders, { XAI_API_KEY: 'k' }, ['offline'])).toEqual({
      name: 'offline',
      reason:
        "XAI_API_KEY is set, but this version's LLM service cannot call that provider yet; no language model is used",
    });
  });

  test('is the configured one, with a warning when sessions would fail', async () => {
    const config = await loadText(
      'defaults: { llm_provider: mine }\n',
      {},
      'llm_providers: { mine: { type: offline } }\n',
    );
    expect(config.providerChoice).toEqual({ name: 'mine', reason: 'configured as defaults.llm_provider' });
    expect(config.warnings).toEqual([]);
    const unusable = await loadText('defaults: { llm_provider: openai-default }\n');
    expect(unusable.warnings).toHaveLength(1);
    expect(unusable.warnings[0]).toContain('LLM provider openai-default');
    const elsewhere = await loadText('defaults: { llm_provider: openai-default }\n', {
      LLM_SERVICE_ADDR: 'llm:50051',
    });
    expect(elsewhere.warnings).toEqual([]);
  });
});
