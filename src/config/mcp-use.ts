import { NATIVE_TOOLS, type NativeTool } from './enums.ts';
import { chainAgents, chainForAlertType, chainServers, resolveChat } from './resolve.ts';
import type { ChainConfig, Config } from './types.ts';

/** The servers that an alert of a type uses when it chooses none; null type = the default one. Null = no chain takes it. */
export function defaultServers(config: Config, alertType: string | null): string[] | null {
  const route = chainForAlertType(config, alertType);
  return route && chainServers(config, route.chain);
}

/** The servers that an alert of a type may choose from; null type = the default one. Null = no chain takes it. */
export function selectableServers(config: Config, alertType: string | null): string[] | null {
  const route = chainForAlertType(config, alertType);
  if (!route) return null;
  return config.system.mcpSelection === 'replace'
    ? Object.keys(config.mcpServers)
    : usedBy(config, route.chain);
}

/**
 * The model's own tools that an alert of a type may switch on; null type = the default one. Empty where no chain takes it.
 * Narrowing, that is what one of its agents has on anyway: to whom the alert is told is not for its sender to decide.
 */
export function selectableNativeTools(config: Config, alertType: string | null): NativeTool[] {
  if (config.system.mcpSelection === 'replace') return [...NATIVE_TOOLS];
  const chain = chainForAlertType(config, alertType)?.chain;
  if (!chain) return [];
  const agents = [...chainAgents(config, chain), ...(chain.chat.enabled ? [resolveChat(config, chain)] : [])];
  return NATIVE_TOOLS.filter((tool) => agents.some(({ provider }) => provider.nativeTools[tool]));
}

/** All that the agents of a chain use, those that answer questions included. */
function usedBy(config: Config, chain: ChainConfig): string[] {
  const ofChat = chain.chat.enabled ? resolveChat(config, chain).mcpServers : [];
  return [...new Set([...chainServers(config, chain), ...ofChat])];
}

/**
 * The MCP servers whose health is looked after: all that a file defines, and the built-in ones that a chain of a file
 * or the chain of the default alert type uses. The other built-in ones may need what this machine has not, and
 * starting them would download programs for nobody.
 */
export function monitoredServers(config: Config): string[] {
  const standard = chainForAlertType(config, null)?.chain.id;
  const used = new Set(
    Object.values(config.chains)
      .filter(({ id, origin }) => origin === 'FILE' || id === standard)
      .flatMap((chain) => usedBy(config, chain)),
  );
  return Object.values(config.mcpServers)
    .filter(({ id, origin }) => origin === 'FILE' || used.has(id))
    .map(({ id }) => id);
}
