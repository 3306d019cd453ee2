import { describe, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { chooseProvider } from './provider-choice.ts';

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
    [{ GOOGLE_API_KEY: 'k', OPENAI_API_KEY: 'k' }, 'google-default'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'anthropic-default'],
    [{ GOOGLE_API_KEY: '', XAI_API_KEY: 'k' }, 'xai-default'],
    [{ GOOGLE_API_KEY: '' }, 'offline'],
  ])('is the first with a key: %j', async (env, name) => {
    const { llmProviders } = await loadText('');
    expect(chooseProvider(null, llmProviders, env).name).toBe(name);
  });

  test('is Gemini when its key is set', async () => {
    const { providerChoice, warnings } = await loadText('', { GOOGLE_API_KEY: 'k' });
    expect(providerChoice).toEqual({ name: 'google-default', reason: 'GOOGLE_API_KEY is set' });
    expect(warnings).toEqual([]);
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
