import type { McpSelection } from '../../mcp/types.ts';
import type { TraceFacts } from '../api/observer.ts';
import { openBudgets } from '../features/budgets/run-budgets.ts';
import type { LlmTask } from '../model/task.ts';
import type { ClaimedRun, Outcome } from '../store/lease.ts';
import { loadSessionRunbook } from './session-runbook.ts';
import type { AgentPlan, OfferedTools, RunDeps, SessionRun } from './types.ts';

/** Runs a session's work with its chain and runbook, as one piece of a trace. */
export async function withSessionRun(
  deps: RunDeps & ClaimedRun,
  session: SessionRun['session'],
  facts: TraceFacts,
  work: (run: SessionRun) => Promise<Outcome>,
): Promise<Outcome> {
  const chain = deps.config.chains[session.chainId];
  if (!chain) {
    const errorMessage = `The chain ${session.chainId} is not in the configuration any more.`;
    return { status: 'FAILED', errorMessage };
  }
  return deps.observer.tracing.session(session.id, facts, async () => {
    const runbook = await loadSessionRunbook(deps, session, deps.signal);
    return work({ ...deps, ...(await openBudgets(deps, session)), session, chain, runbook });
  });
}

/**
 * What the alert's sender chose narrows what is configured for an agent, or replaces it, as the configuration says.
 * @param question what is asked about the alert, if anything
 */
export function selectionOf(
  { session, config }: Pick<SessionRun, 'session' | 'config'>,
  { mcpServers: configured, tools }: Pick<AgentPlan['resolved'], 'mcpServers' | 'tools'>,
  question = '',
): McpSelection {
  const about = [question, session.alertType, session.alertData].join('\n');
  const of = { about, only: tools };
  if (!session.mcpSelection) return { ...of, servers: configured.map((name) => ({ name, tools: null })) };
  const replaces = config.system.mcpSelection === 'replace';
  const servers = session.mcpSelection.servers.filter(
    ({ name, tools }) => tools?.length !== 0 && (replaces || configured.includes(name)),
  );
  return { ...of, servers };
}

/** The alert as every prompt about it needs it. */
export function alertOf({ session, runbook }: SessionRun) {
  return {
    alertType: session.alertType,
    alertData: session.alertData,
    runbook: runbook.content,
    runbookUrl: session.runbookUrl ?? null,
    runbookProblem: runbook.problem,
  };
}

/** … and as data beside it. */
export function subjectOf(
  { session, runbook }: SessionRun,
  { customInstructions }: AgentPlan['resolved'],
): LlmTask {
  return { alert: session.alertData, runbook: runbook.content, instructions: customInstructions };
}

/** What the prompts of an agent with tools say of the alert, the tools and the agent. */
export function promptOf(
  run: SessionRun,
  { name, resolved, selection }: Pick<AgentPlan, 'name' | 'resolved' | 'selection'>,
  tools: OfferedTools,
) {
  return {
    ...alertOf(run),
    ...tools,
    agentName: name,
    // What the operators of the servers wrote about their use.
    mcpServers: selection.servers.map((server) => ({
      id: server.name,
      instructions: run.config.mcpServers[server.name]?.instructions ?? '',
    })),
    customInstructions: resolved.customInstructions,
    now: new Date(),
    calendar: run.config.system.calendar,
  };
}
