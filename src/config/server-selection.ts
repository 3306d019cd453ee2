import { NATIVE_TOOLS, type NativeTool } from './enums.ts';
import {
  chainAgents,
  chainForAlertType,
  chainServers,
  type ResolvedAgent,
  resolveChat,
  withSubAgents,
} from './resolve.ts';
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
    : serversUsedBy(config, route.chain);
}

/**
 * The model's own tools that an alert of a type may switch on; null type = the default one. Empty where no chain takes it.
 * Narrowing, that is what one of its agents has on anyway: to whom the alert is told is not for its sender to decide.
 */
export function selectableNativeTools(config: Config, alertType: string | null): NativeTool[] {
  if (config.system.mcpSelection === 'replace') return [...NATIVE_TOOLS];
  const chain = chainForAlertType(config, alertType)?.chain;
  if (!chain) return [];
  const agents = agentsOf(config, chain);
  return NATIVE_TOOLS.filter((tool) => agents.some(({ provider }) => provider.nativeTools[tool]));
}

/** All that the agents of a chain use, those that answer questions included. */
function serversUsedBy(config: Config, chain: ChainConfig): string[] {
  return [...new Set(agentsOf(config, chain).flatMap(({ mcpServers }) => mcpServers))];
}

function agentsOf(config: Config, chain: ChainConfig): ResolvedAgent[] {
  const chat = chain.chat.enabled ? [resolveChat(config, chain)] : [];
  return withSubAgents(config, chain, [...chainAgents(config, chain), ...chat]);
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
      .flatMap((chain) => serversUsedBy(config, chain)),
  );
  return Object.values(config.mcpServers)
    .filter(({ id, origin }) => origin === 'FILE' || used.has(id))
    .map(({ id }) => id);
}
