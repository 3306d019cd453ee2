import type { McpSelection } from '../../mcp/types.ts';
import type { TraceAttributes } from '../api/observer.ts';
import { openBudgets } from '../features/budgets/run-budgets.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { LlmTask } from '../model/task.ts';
import { planChain } from './chain-plan.ts';
import type { AgentPrompt, AlertPrompt } from './investigation-prompt.ts';
import { loadSessionRunbook } from './session-runbook.ts';
import type { AgentPlan, ClaimedRun, RunDeps, RunOutcome, SessionRun } from './types.ts';

/** Does a session's work with its chain, runbook and budgets, inside one trace span. Fails if the chain is no longer configured. */
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
    const runbook = await loadSessionRunbook(deps, session, deps.signal);
    const { alertType, alertData, runbookUrl = null } = session;
    return work({
      ...deps,
      ...(await openBudgets(deps, session)),
      session,
      chain,
      chainPlan: planChain(deps.config, chain),
      runbook,
      alert: {
        alertType,
        alertData,
        runbook: runbook.content,
        runbookUrl,
        runbookProblem: runbook.problem,
      },
      subject: { alert: alertData, runbook: runbook.content },
    });
  });
}

/** The parts of a plan that differ between agents with tools. */
export interface ToolAgent extends Omit<AgentPlan, 'selection' | 'task' | 'opening'> {
  /** The agent's question or task, which tool selection considers with the alert. */
  question?: string;
  /** Data of the task in addition to the alert, the runbook and the instructions. */
  task: Pick<LlmTask, 'question' | 'works'>;
  /** Returns the first two messages. */
  messages: (
    prompt: AlertPrompt & AgentPrompt,
    memories: readonly RecalledMemory[],
  ) => ReturnType<AgentPlan['opening']>;
}

/** Plans an agent that works with tools on the alert. */
export function planToolAgent(run: SessionRun, { question, task, messages, ...agent }: ToolAgent): AgentPlan {
  const { name, resolved } = agent;
  const selection = selectTools(run, resolved, question);
  return {
    ...agent,
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

/** Returns an agent's servers and tools. The choice of the alert's sender narrows or replaces them, by `system.mcp_selection`. */
function selectTools(
  { session, config }: SessionRun,
  { mcpServers: configured, tools: only }: AgentPlan['resolved'],
  question = '',
): McpSelection {
  const about = [question, session.alertType, session.alertData].join('\n');
  if (!session.mcpSelection)
    return { about, only, servers: configured.map((name) => ({ name, tools: null })) };
  const replaces = config.system.mcpSelection === 'replace';
  const servers = session.mcpSelection.servers.filter(
    ({ name, tools }) => tools?.length !== 0 && (replaces || configured.includes(name)),
  );
  return { about, only, servers };
}
