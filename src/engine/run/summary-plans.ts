import { type ResolvedLlm, resolveSummarization } from '../../config/resolve.ts';
import type { Config } from '../../config/types.ts';
import type { SummaryPlan } from '../agent/summarize.ts';
import { llmSettings } from './llm-settings.ts';

/** How an agent's long tool results are summarized, by server; null = they are not. */
export function summaryPlans(config: Config, agent: ResolvedLlm): (serverName: string) => SummaryPlan | null {
  return (serverName) => {
    const settings = config.mcpServers[serverName]?.summarization;
    if (!settings?.enabled) return null;
    return {
      sizeThresholdTokens: settings.sizeThresholdTokens,
      maxTokens: settings.summaryMaxTokenLimit,
      // A summary says what the result says: a model that searches the web meanwhile would add to it.
      llm: { ...llmSettings(resolveSummarization(config, serverName, agent)), nativeTools: {} },
    };
  };
}
