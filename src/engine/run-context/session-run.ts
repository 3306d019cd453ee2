import type { McpSelection } from '../../mcp/types.ts';
import type { TraceAttributes } from '../api/observer.ts';
import { openBudgets } from '../features/budgets/run-budgets.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { LlmTask } from '../model/task.ts';
import { planChain } from './chain-plan.ts';
import type { AgentPrompt, AlertPrompt } from './investigation-prompt.ts';
import { loadSessionRunbook } from './session-runbook.ts';
import type { AgentPlan, ClaimedRun, RunDeps, RunOutcome, SessionRun } from './types.ts';

/** Runs `work` with a session's chain, runbook and budgets, in one trace span. Fails if the chain is not configured. */
export async function withSessionRun(
  deps: RunDeps & ClaimedRun,
  session: SessionRun['session'],
  facts: TraceAttributes,
  work: (run: SessionRun) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const chain = deps.config.chains[session.chainId];
  if (!chain) {
    const errorMessage = `The chain ${session.chainId} is not in the configuration any more.`;
    return { status: 'FAILED', errorMessage };
  }
  return deps.observer.tracing.session(session.id, facts, async () => {
    const { alertType, alertData, runbookUrl = null } = session;
    const alert = { alertType, alertData, runbookUrl, ...(await loadSessionRunbook(deps, session)) };
    return work({
      ...deps,
      ...(await openBudgets(deps, session)),
      session,
      chain,
      chainPlan: planChain(deps.config, chain),
      alert,
      subject: { alert: alertData, runbook: alert.runbook },
    });
  });
}

interface ToolAgent extends Omit<AgentPlan, 'selection' | 'task' | 'opening'> {
  /** The agent's question or task. This text and the alert determine which tools are selected. */
  question?: string;
  task: Pick<LlmTask, 'question' | 'works'>;
  messages: (
    prompt: AlertPrompt & AgentPrompt,
    memories: readonly RecalledMemory[],
  ) => ReturnType<AgentPlan['opening']>;
}

/** Plans an agent that examines the alert with tools. */
export function planToolAgent(run: SessionRun, { question, task, messages, ...plan }: ToolAgent): AgentPlan {
  const { name, resolved } = plan;
  const selection = selectTools(run, resolved, question);
  return {
    ...plan,
    selection,
    task: { ...run.subject, instructions: resolved.customInstructions, ...task },
    opening: (tools, memories) =>
      messages(
        {
          ...run.alert,
          ...tools,
          agentName: name,
          mcpServers: selection.servers.map((server) => ({
            id: server.name,
            instructions: run.config.mcpServers[server.name]?.instructions ?? '',
          })),
          customInstructions: resolved.customInstructions,
          now: new Date(),
          calendar: run.config.system.calendar,
        },
        memories,
      ),
  };
}

/** Returns an agent's servers and tools. By `system.mcp_selection`, the sender's choice narrows or replaces them. */
function selectTools(
  { session, config }: SessionRun,
  { mcpServers, tools: only }: AgentPlan['resolved'],
  question = '',
): McpSelection {
  const replaces = config.system.mcpSelection === 'replace';
  const chosen = session.mcpSelection?.servers.filter(
    ({ name, tools }) => tools?.length !== 0 && (replaces || mcpServers.includes(name)),
  );
  const about = [question, session.alertType, session.alertData].join('\n');
  return { about, only, servers: chosen ?? mcpServers.map((name) => ({ name, tools: null })) };
}
