import { NATIVE_TOOLS, type NativeTool } from './enums.ts';
import { agentsOfChain, chainForAlertType, chainServers, withSubAgents } from './resolve.ts';
import type { ChainConfig, Config } from './types.ts';

/** Returns the MCP servers that an alert uses if it selects none; `null` if no chain handles the alert type. */
export function defaultServers(config: Config, alertType: string | null): string[] | null {
  const route = chainForAlertType(config, alertType);
  return route && chainServers(config, route.chain);
}

/** Returns the MCP servers that an alert may select; `null` if no chain handles the alert type. */
export function selectableServers(config: Config, alertType: string | null): string[] | null {
  const route = chainForAlertType(config, alertType);
  if (!route) return null;
  return config.system.mcpSelection === 'replace'
    ? Object.keys(config.mcpServers)
    : serversUsedBy(config, route.chain);
}

/**
 * Returns the native tools that an alert may switch on. With `mcp_selection: narrow` these are the tools that agents of
 * the chain have. Native tools send the alert to third parties, so the sender must not add any.
 */
export function selectableNativeTools(config: Config, alertType: string | null): NativeTool[] {
  if (config.system.mcpSelection === 'replace') return [...NATIVE_TOOLS];
  const chain = chainForAlertType(config, alertType)?.chain;
  if (!chain) return [];
  const agents = withSubAgents(config, chain, agentsOfChain(config, chain));
  return NATIVE_TOOLS.filter((tool) => agents.some(({ provider }) => provider.nativeTools[tool]));
}

/** Returns the MCP servers of all agents of a chain, including sub-agents and the chat's agent. */
function serversUsedBy(config: Config, chain: ChainConfig): string[] {
  const agents = withSubAgents(config, chain, agentsOfChain(config, chain));
  return [...new Set(agents.flatMap(({ mcpServers }) => mcpServers))];
}

/**
 * Returns the MCP servers whose health is monitored. Built-in ones count only if a chain of a file or the chain of the
 * default alert type uses them, because starting a server may download a program.
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
