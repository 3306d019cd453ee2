import { expectedStages } from '../config/expected-stages.ts';
import { getEntry } from '../config/resolve.ts';
import { defaultServers, monitoredServers, selectableServers } from '../config/server-selection.ts';
import type { Config } from '../config/types.ts';

export function alertTypesOf(config: Config) {
  return Object.values(config.chains).flatMap((chain) =>
    chain.alertTypes.map((name) => ({
      name,
      chainId: chain.id,
      isDefault: name === config.defaults.alertType,
      description: chain.description,
      stages: expectedStages(config, chain),
    })),
  );
}

export function systemModelOf({ providerChoice: { name, reason }, llmProviders }: Config) {
  const { type, model } = getEntry(llmProviders, 'LLM provider', name);
  return { provider: name, model, reason, usesRules: type === 'offline' };
}

export function mcpDirectoryOf(config: Config) {
  const monitored = new Set(monitoredServers(config));
  return {
    servers: Object.keys(config.mcpServers).map((id) => ({ id, monitored: monitored.has(id) })),
    defaults: (alertType: string | null) => defaultServers(config, alertType),
    selectable: (alertType: string | null) => selectableServers(config, alertType),
  };
}
