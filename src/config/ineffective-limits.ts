import { formatDuration, parseDuration } from './durations.ts';
import { OVERRIDE_LEVELS, valuesAt } from './references.ts';
import { agentsOfChain, withSubAgents } from './resolve.ts';
import { formatPath } from './source-file.ts';
import type { Config } from './types.ts';

const WITHIN_A_SESSION = [
  ...['iteration', 'llm_outage', 'executive_summary', 'report', 'scoring'].map(
    (key) => `defaults.timeouts.${key}`,
  ),
  ...OVERRIDE_LEVELS.map((level) => `${level}.iteration_timeout`),
];

/**
 * Returns a warning for each configured time limit that has no effect, because a newer key or a shorter limit applies.
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
    ? ['defaults.timeouts.mcp_operation has no effect: tool_call, its newer name, takes precedence']
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

function longerThanIteration(config: Config, written: unknown): string[] {
  const [general] = ['tool_call', 'mcp_operation'].filter(
    (key) => valuesAt(written, `defaults.timeouts.${key}`).length > 0,
  );
  const found = new Map<string, Set<string>>();
  const agents = Object.values(config.chains).flatMap((chain) =>
    withSubAgents(config, chain, agentsOfChain(config, chain)),
  );
  for (const { agentName, mcpServers, timeouts } of agents) {
    for (const id of mcpServers) {
      const own = config.mcpServers[id]?.transport.timeoutMs ?? null;
      const ms = own ?? timeouts.toolCallMs;
      const key =
        own === null ? general && `defaults.timeouts.${general}` : `mcp_servers.${id}.transport.timeout`;
      if (key === undefined || ms <= timeouts.iterationMs) continue;
      const setting = `${key} (${formatDuration(ms)})`;
      const names = found.get(setting) ?? new Set();
      found.set(setting, names.add(`${agentName} (${formatDuration(timeouts.iterationMs)})`));
    }
  }
  return [...found].map(
    ([setting, names]) => `${setting} has no effect where iterations end before: ${[...names].join(', ')}`,
  );
}
