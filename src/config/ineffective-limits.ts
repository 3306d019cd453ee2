import { formatDuration, parseDuration } from './durations.ts';
import { OVERRIDE_LEVELS, valuesAt } from './references.ts';
import { chainAgents, type ResolvedAgent, resolveChat, withSubAgents } from './resolve.ts';
import { formatPath } from './source-file.ts';
import type { Config } from './types.ts';

/** Keys of time limits that apply within an investigation. */
const WITHIN_A_SESSION = [
  ...['iteration', 'llm_outage', 'executive_summary', 'report', 'scoring'].map(
    (key) => `defaults.timeouts.${key}`,
  ),
  ...OVERRIDE_LEVELS.map((level) => `${level}.iteration_timeout`),
];

/**
 * Returns a warning for each time limit of tarsy.yaml that never applies, because another key supersedes it or a
 * shorter limit ends the surrounding work first.
 * @param written the data of tarsy.yaml from which `config` was assembled
 */
export function ineffectiveLimits(config: Config, written: unknown): string[] {
  return [
    ...supersededKeys(written),
    ...longerThanSession(config, written),
    ...longerThanIteration(config, written),
  ];
}

function supersededKeys(written: unknown): string[] {
  const isWritten = (key: string) => valuesAt(written, `defaults.timeouts.${key}`).length > 0;
  return isWritten('tool_call') && isWritten('mcp_operation')
    ? ['defaults.timeouts.mcp_operation has no effect: tool_call, its newer name, goes before it']
    : [];
}

function longerThanSession({ queue: { sessionTimeoutMs } }: Config, written: unknown): string[] {
  const limit = formatDuration(sessionTimeoutMs);
  return WITHIN_A_SESSION.flatMap((pattern) => valuesAt(written, pattern)).flatMap(({ path, value }) =>
    (parseDuration(String(value)) ?? 0) <= sessionTimeoutMs
      ? []
      : [
          `${formatPath(path)} (${value}) has no effect: queue.session_timeout (${limit}) ends the work before`,
        ],
  );
}

/** Finds limits of tool calls that are longer than the iterations in which the calls are made. */
function longerThanIteration(config: Config, written: unknown): string[] {
  const [general] = ['tool_call', 'mcp_operation'].filter(
    (key) => valuesAt(written, `defaults.timeouts.${key}`).length > 0,
  );
  const found = new Map<string, Set<string>>();
  for (const { agentName, mcpServers, timeouts } of agentsOf(config)) {
    for (const id of mcpServers) {
      const own = config.mcpServers[id]?.transport.timeoutMs ?? null;
      const ms = own ?? timeouts.toolCallMs;
      const key =
        own === null ? general && `defaults.timeouts.${general}` : `mcp_servers.${id}.transport.timeout`;
      if (key === undefined || ms <= timeouts.iterationMs) continue;
      const setting = `${key} (${formatDuration(ms)})`;
      const agents = found.get(setting) ?? new Set();
      found.set(setting, agents.add(`${agentName} (${formatDuration(timeouts.iterationMs)})`));
    }
  }
  return [...found].map(
    ([setting, agents]) => `${setting} has no effect where iterations end before: ${[...agents].join(', ')}`,
  );
}

/** Returns every agent of every chain, resolved for that chain. */
function agentsOf(config: Config): ResolvedAgent[] {
  return Object.values(config.chains).flatMap((chain) => {
    const chat = chain.chat.enabled ? [resolveChat(config, chain)] : [];
    return withSubAgents(config, chain, [...chainAgents(config, chain), ...chat]);
  });
}
