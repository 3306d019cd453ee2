import { expect, test } from 'vitest';
import { loadText } from '../../../test/fixtures/config/load-text.ts';
import { resolveExecutiveSummary } from '../../config/resolve-calls.ts';
import { llmSettings } from './settings.ts';

const BUILTIN_OFF = { google_search: false, code_execution: false, url_context: false };

async function resolved(name = 'google-default', switches = 'google_search: true') {
  const providers = `llm_providers:
  google-default: { type: google, model: m, native_tools: { ${switches} } }
`;
  const env = { GOOGLE_API_KEY: 'a-key-of-a-test', OPENAI_API_KEY: 'another' };
  const config = await loadText(`defaults: { llm_provider: ${name} }`, env, providers);
  return resolveExecutiveSummary(config, config.chains.host!);
}

test('lets a sender disable configured tools, and enable others only if the configuration allows replacing', async () => {
  const provider = await resolved();
  const nativeTools = { googleSearch: false, urlContext: true };
  expect(llmSettings(provider).nativeTools).toEqual({ ...BUILTIN_OFF, google_search: true });
  expect(llmSettings(provider, { nativeTools, replaces: false }).nativeTools).toEqual(BUILTIN_OFF);
  expect(llmSettings(provider, { nativeTools, replaces: true }).nativeTools).toEqual({
    ...BUILTIN_OFF,
    url_context: true,
  });
  expect(llmSettings(provider, { nativeTools: null, replaces: true }).nativeTools).toEqual({
    ...BUILTIN_OFF,
    google_search: true,
  });
});

test('never sends native tools to a provider that has none', async () => {
  const choice = { nativeTools: { googleSearch: true }, replaces: true };
  expect(llmSettings(await resolved('openai-default'), choice).nativeTools).toEqual({});
});
