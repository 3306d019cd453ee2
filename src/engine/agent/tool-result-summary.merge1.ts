import { type ResolvedLlm, withFallbacks } from '../../config/resolve.ts';
import { resolveSummarization } from '../../config/resolve-calls.ts';
import type { Config } from '../../config/types.ts';
import type { SummaryPlan } from '../run-context/types.ts';

/** How an agent's long tool results are summarized, by server; null = they are not. */
export function summaryPlans(config: Config, agent: ResolvedLlm): (serverName: string) => SummaryPlan | null {
  return (serverName) => {
    const settings = config.mcpServers[serverName]?.summarization;
    if (!settings?.enabled) return null;
    return {
      sizeThresholdTokens: settings.sizeThresholdTokens,
      maxTokens: settings.summaryMaxTokenLimit,
      models: withFallbacks(config, resolveSummarization(config, serverName, agent)),
    };
  };
}
