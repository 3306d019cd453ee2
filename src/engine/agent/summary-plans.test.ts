import { expect, test } from 'vitest';
import { loadText } from '../../../test/fixtures/config/load-text.ts';
import { resolveAgent } from '../../config/resolve.ts';
import { summaryPlans } from './tool-result-summary.ts';

const server = (summarization: string) =>
  `{ transport: { type: stdio, command: x }, summarization: ${summarization} }`;

async function plansOf(defaults = '') {
  const config = await loadText(`
defaults: { llm_provider: google-default${defaults} }
mcp_servers:
  plain: ${server('{}')}
  own: ${server('{ llm_provider: openai-default, size_threshold_tokens: 100, summary_max_token_limit: 60 }')}
  off: ${server('{ enabled: false }')}
agents: { A: { mcp_servers: [plain, own, off] } }
agent_chains: { c: { alert_types: [t], stages: [{ name: s, agents: [{ name: A }] }] } }
`);
  const chain = config.chains.c!;
  const stage = chain.stages[0]!;
  return summaryPlans(config, resolveAgent(config, { chain, stage, agent: stage.agents[0]! }));
}

test('the agent’s own model summarizes', async () => {
  const plan = await plansOf();
  expect(plan('plain')).toMatchObject({
    sizeThresholdTokens: 5000,
    maxTokens: 1000,
    models: [{ providerName: 'google-default', backend: 'google-native' }],
  });
});

test('the provider of the defaults comes before the agent’s, the server’s before both', async () => {
  const plan = await plansOf(', summarization: { llm_provider: anthropic-default }');
  expect(plan('plain')?.models).toMatchObject([{ providerName: 'anthropic-default', backend: 'langchain' }]);
  expect(plan('own')).toMatchObject({
    sizeThresholdTokens: 100,
    maxTokens: 60,
    models: [{ providerName: 'openai-default' }],
  });
});

test('results are not summarized where that is switched off, nor those of unknown servers', async () => {
  const plan = await plansOf();
  expect(plan('off')).toBeNull();
  expect(plan('unheard-of')).toBeNull();
});
