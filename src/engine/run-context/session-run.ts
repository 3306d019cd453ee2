import { aborted } from 'node:util';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { McpSelection } from '../../mcp/types.ts';
import type { TraceAttributes } from '../api/tracing.ts';
import { openBudgets } from '../features/budgets/run-budgets.ts';
import { openReplay } from '../features/cases/open-replay.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { LlmTask } from '../model/task.ts';
import { planChain } from './chain-plan.ts';
import type { AgentPrompt, AlertPrompt } from './investigation-prompt.ts';
import type { AgentPlan, ClaimedRun, RunDeps, RunOutcome, SessionRun } from './types.ts';

/**
 * Runs `work` with a session's chain, runbook and budgets, in one trace span. Fails if the chain is not configured. A
 * replay runs with the tools, the runbook and the time of its case.
 */
export async function withSessionRun(
  services: RunDeps & ClaimedRun,
  stored: SessionRun['session'],
  facts: TraceAttributes,
  work: (run: SessionRun) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const replay = await openReplay(services, stored);
  const deps = { ...services, ...replay?.services };
  const session = { ...stored, ...replay?.session };
  const chain = deps.config.chains[session.chainId];
  if (!chain) {
    const errorMessage = `The chain ${session.chainId} is not in the configuration any more.`;
    return { status: 'FAILED', errorMessage };
  }
  return deps.observer.tracing.session(session.id, facts, async () => {
    const { alertType, alertData, runbookUrl = null } = session;
    const runbook = replay?.runbook ?? (await loadSessionRunbook(deps, session));
    const alert = { alertType, alertData, runbookUrl, ...runbook };
    return work({
      ...deps,
      ...(replay === null ? await openBudgets(deps, session) : { budgets: null }),
      replay,
      session,
      chain,
      chainPlan: planChain(deps.config, chain),
      alert,
      subject: { alert: alertData, runbook: alert.runbook },
      endingTools: new Set(),
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
          now: run.replay?.now ?? new Date(),
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

type SessionRunbook = Pick<AlertPrompt, 'runbook' | 'runbookProblem'>;

/**
 * Returns the session's runbook: the one at the sender's address, otherwise the configured text. Stores a fetched one,
 * so that later runs use the same text. If fetching fails, returns and stores the configured text with the problem.
 */
async function loadSessionRunbook(
  deps: RunDeps & ClaimedRun,
  session: AlertSessionRow,
): Promise<SessionRunbook> {
  const configured = { runbook: configuredRunbook(deps), runbookProblem: null };
  if (!session.runbookUrl) return configured;
  const stored = await readStored(deps.db, session.id);
  if (stored) return stored;
  const reading = deps.runbooks.read(session.runbookUrl);
  const fetched = await Promise.race([reading, aborted(deps.signal, reading)]);
  if (!fetched) return configured; // the run was aborted, so no agent reads the runbook
  const loaded =
    'content' in fetched
      ? { runbook: fetched.content.trim() || null, runbookProblem: null }
      : { ...configured, runbookProblem: fetched.problem };
  return storeOnce(deps.db, session.id, loaded);
}

/** Returns the configured runbook, masked; `null` if there is none or masking fails. */
function configuredRunbook({ config, masking }: RunDeps): string | null {
  try {
    return masking.maskRunbook(config.defaults.runbook.trim()) || null;
  } catch {
    return null;
  }
}

async function readStored(db: Queryable, sessionId: string): Promise<SessionRunbook | null> {
  const { rows } = await db.query<SessionRunbook>(
    'select content as runbook, problem as "runbookProblem" from session_runbooks where session_id = $1',
    [sessionId],
  );
  return rows[0] ?? null;
}

/** Stores a session's runbook unless another run has stored one. @returns the stored runbook */
async function storeOnce(
  db: Queryable,
  sessionId: string,
  { runbook, runbookProblem }: SessionRunbook,
): Promise<SessionRunbook> {
  const { rows } = await db.query<SessionRunbook>(
    `insert into session_runbooks (session_id, content, problem) values ($1, $2, $3)
     on conflict (session_id) do update set session_id = excluded.session_id
     returning content as runbook, problem as "runbookProblem"`,
    [sessionId, runbook, runbookProblem],
  );
  return rows[0]!;
}
