import type { Logger } from 'pino';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { McpSelection, ToolExecutor } from '../../mcp/types.ts';
import type { Runbooks } from '../../runbooks/runbooks.ts';
import type { OfferedTools } from '../agent/context.ts';
import type { TurnBox } from '../agent/turn-box.ts';
import { openBudgets, type RunBudgets } from '../cost/run-budgets.ts';
import type { Announcer } from '../events/announcer.ts';
import type { WholeSession } from '../journal/sessions.ts';
import type { Circuits } from '../llm/circuits.ts';
import type { LlmClient } from '../llm/client.ts';
import type { LlmOutages } from '../llm/outages.ts';
import type { LlmTask } from '../llm/task.ts';
import type { Observer, TraceFacts } from '../observer.ts';
import type { Skills } from '../skills/skills.ts';
import type { AgentPlan } from './agent.ts';
import type { Held, Outcome } from './hold.ts';
import { runbookOf, type SessionRunbook } from './session-runbook.ts';

/** What runs work with. */
export interface RunDeps {
  db: Queryable;
  announcer: Pick<Announcer, 'announce'>;
  config: Config;
  client: LlmClient;
  /** Of this process. */
  outages: LlmOutages;
  circuits: Circuits;
  masking: Masking;
  turns: TurnBox;
  /** Connects to MCP servers for one agent's work. */
  connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  runbooks: Pick<Runbooks, 'read'>;
  skills: Skills;
  observer: Observer;
  logger: Logger;
}

/** The run of a session's investigation, or of an answer about it, while it is held. */
export interface SessionRun extends RunDeps, Held {
  /** `hasSource`: its agents shall be told what the source of its alerts tells meanwhile. */
  session: AlertSessionRow & Partial<Pick<WholeSession, 'hasSource'>>;
  chain: ChainConfig;
  runbook: SessionRunbook;
  /** Null: none holds. */
  budgets: RunBudgets | null;
}

/** Runs a session's work with its chain and runbook, as one piece of a trace. */
export async function runOf(
  deps: RunDeps & Held,
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
    const runbook = await runbookOf(deps, session, deps.signal);
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
