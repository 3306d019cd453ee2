import { isTerminalStatus } from '../../../db/enums.ts';
import type { BuiltinTool } from '../../common/builtin-tools.ts';
import {
  CancelledError,
  pausesOnlyThisAgent,
  RunInterruptedError,
  SubAgentTimeoutError,
  statusOfFailure,
} from '../../common/interruptions.ts';
import { describeError } from '../../model/errors.ts';
import { availableSubAgents, delegatedTasks } from '../../run-context/sub-agent-inbox.ts';
import { isTimeUp, shortestBudget, type TimeBudget } from '../../run-context/time-budget.ts';
import type { AgentOutcome, AgentPlan, SessionRun, SubAgent, SubAgents } from '../../run-context/types.ts';
import { writeRows } from '../../store/event-statement.ts';
import type { ExecutionProgress } from '../../store/progress.ts';
import { beginExecution } from '../../store/stages-and-executions.ts';
import { addTimelineEvent } from '../../store/timeline.ts';
import { executionRow, type Level, refusalOf, type StageAgent, subAgentId, subAgentPlan } from './plan.ts';

export interface RunSubAgents extends SubAgents {
  tools: BuiltinTool[];
  /** Resumes the sub-agents that an earlier run left unfinished. */
  resume(): void;
  /**
   * Waits until all running sub-agents have stopped. Aborts them first, unless their agent only waits for an
   * approval or a budget.
   * @param interruption why their agent is interrupted, so that the sub-agents resume with it; `null` after
   * the agent's end, which cancels them
   * @throws RunInterruptedError if a sub-agent was interrupted and their agent was not
   */
  stop(interruption: RunInterruptedError | null): Promise<void>;
}

interface TrackedSubAgent extends SubAgent {
  abort(reason: Error): void;
  /** Resolves when the sub-agent has stopped; never rejects. */
  done: Promise<void>;
}

/**
 * Creates what an agent needs for its sub-agents: their tools, and functions that resume and stop them.
 * @param runAgent runs one sub-agent, as it runs any other agent
 */
export function openSubAgents(
  run: SessionRun,
  agent: StageAgent,
  runAgent: (run: SessionRun, agent: StageAgent) => Promise<AgentOutcome>,
): RunSubAgents {
  const { plan, ids, tree } = agent;
  const { stageId, executionId } = ids;
  const limits = plan.resolved.orchestrator;
  const startedAt = performance.now() - (agent.progress?.workedMs ?? 0);
  const level: Level = {
    limits,
    started: tree.countBelow(executionId),
    running: 0,
    workedMs: () => performance.now() - startedAt,
  };
  const levels = [...tree.levels, level];
  const stored = tree.subAgentsOf(executionId);
  const known = new Map(stored.map((progress) => [progress.row.id, fromProgress(progress)]));
  const ending = new AbortController();
  const parentSignal = AbortSignal.any([run.signal, ending.signal]);
  let interruption: RunInterruptedError | null = null;

  function count(change: { started?: number; running: number }): void {
    for (const each of levels) {
      each.started += change.started ?? 0;
      each.running += change.running;
    }
  }

  /** Returns the time of a sub-agent that has worked for `workedMs`; the sub-agent ends before this agent must conclude. */
  function timeFor(workedMs: number): TimeBudget {
    const limit = (since: number, limitMs: number) => ({
      ...{ startedAt: since, endsAt: since + limitMs },
      exceeded: () => new SubAgentTimeoutError(limitMs),
    });
    const { agentTimeoutMs, maxBudgetMs } = limits;
    const ofAgent = { startedAt: run.time.startedAt, endsAt: run.time.concludeAt };
    return shortestBudget(
      [
        { ...ofAgent, exceeded: () => new SubAgentTimeoutError(null) },
        limit(startedAt, maxBudgetMs),
        ...(agentTimeoutMs === null ? [] : [limit(performance.now() - workedMs, agentTimeoutMs)]),
      ],
      run.config.defaults.timeouts.conclusionReserveMs,
      run.time.requested,
    );
  }

  /** Starts or resumes a sub-agent. The caller has already counted the sub-agent as running. */
  function start(
    subAgent: TrackedSubAgent,
    subPlan: AgentPlan,
    { time, progress }: { time: TimeBudget; progress?: ExecutionProgress },
  ): void {
    const own = new AbortController();
    const abort = (reason: Error) => own.abort(reason);
    const timer = setTimeout(() => abort(time.exceeded()), Math.max(0, time.endsAt - performance.now()));
    const signal = AbortSignal.any([parentSignal, own.signal]);
    const end = (result: Pick<SubAgent, 'status' | 'finalAnalysis' | 'errorMessage'>) =>
      Object.assign(subAgent, result);
    const done = runAgent(
      { ...run, signal, time },
      {
        plan: subPlan,
        ids: { stageId, executionId: subAgent.id },
        progress,
        tree: { ...tree, levels },
      },
    )
      .then(({ status, finalAnalysis, errorMessage }) => end({ status, finalAnalysis, errorMessage }))
      .catch((error: unknown) => {
        if (error instanceof RunInterruptedError) interruption = error;
        else end({ status: statusOfFailure(error), finalAnalysis: null, errorMessage: describeError(error) });
      })
      .then(() => {
        clearTimeout(timer);
        count({ running: -1 });
      });
    Object.assign(subAgent, { abort, done });
  }

  async function dispatch(name: string, unmaskedTask: string, callId: string): Promise<SubAgent> {
    const masked = run.masking.maskArguments('tarsy', JSON.stringify({ task: unmaskedTask }));
    const { task } = JSON.parse(masked) as { task: string };
    const id = subAgentId(executionId, callId, task);
    const existing = known.get(id);
    if (existing !== undefined) return existing; // repeated call after a crash
    const refusal = refusalOf(levels);
    if (refusal !== null) throw new Error(refusal);
    const time = timeFor(0);
    if (isTimeUp(time))
      throw new Error('You must conclude now, so no sub-agent can start. Continue with what you have.');
    const subPlan = subAgentPlan(run, plan, name, task);
    if (subPlan === null) throw new Error(`There is no sub-agent ${name.slice(0, 80)}.`);
    const subAgent = activeSubAgent(id, name, task);
    known.set(id, subAgent);
    count({ started: 1, running: 1 }); // before the write, because other calls of the same response may dispatch meanwhile
    try {
      const row = executionRow(subPlan, stageId, tree.nextIndex());
      await writeRows(run.db, run.fence, [
        beginExecution(id, { ...row, parentExecutionId: executionId, task }),
        addTimelineEvent(
          { stageId, executionId: id },
          { type: 'SUBAGENT_TASK', status: 'COMPLETED', content: task },
        ),
      ]);
    } catch (error) {
      known.delete(id);
      count({ started: -1, running: -1 });
      throw error;
    }
    start(subAgent, subPlan, { time });
    return subAgent;
  }

  async function cancel(id: string): Promise<SubAgent> {
    const subAgent = known.get(id);
    if (subAgent === undefined) throw new Error(`You have no sub-agent ${id.slice(0, 80)}.`);
    subAgent.abort(new CancelledError('Cancelled by the agent that gave it its task.'));
    await subAgent.done; // the end must be stored before the call returns, or the sub-agent would resume after a crash
    if (subAgent.status === 'ACTIVE') check(); // interrupted: the call is repeated later
    return subAgent;
  }

  const all = () => [...known.values()];
  const check = () => {
    if (interruption !== null) throw interruption;
  };
  const available = plan.resolved.subAgents.map(({ name }) => run.config.agents[name]!);
  return {
    tools: subAgentTools({ available, all, dispatch, cancel }),
    all,
    check,
    async nextEnd() {
      const running = all().filter(({ status }) => status === 'ACTIVE');
      if (running.length > 0) await Promise.race(running.map(({ done }) => done));
    },
    resume() {
      for (const progress of stored) {
        const subAgent = known.get(progress.row.id)!;
        if (subAgent.status !== 'ACTIVE') continue;
        count({ running: 1 });
        const { name, task } = subAgent;
        const subPlan = subAgentPlan(run, plan, name, task) ?? removedSubAgentPlan(plan, name);
        start(subAgent, subPlan, { time: timeFor(progress.workedMs), progress });
      }
    },
    async stop(reason) {
      // If this agent waits (approval, budget), its sub-agents run on, because one may be executing an approved call.
      if (reason === null || !pausesOnlyThisAgent(reason))
        ending.abort(reason ?? new CancelledError('The agent that gave it its task has ended.'));
      await Promise.all(all().map(({ done }) => done));
      if (reason === null) check();
    },
  };
}

function activeSubAgent(id: string, name: string, task: string): TrackedSubAgent {
  const initial = { finalAnalysis: null, errorMessage: null, abort: () => {}, done: Promise.resolve() };
  return { id, name, task, status: 'ACTIVE', ...initial };
}

function fromProgress({ row, finalAnalysis }: ExecutionProgress): TrackedSubAgent {
  const subAgent = activeSubAgent(row.id, row.agentName, row.task ?? '');
  if (!isTerminalStatus(row.status)) return subAgent;
  return { ...subAgent, status: row.status, finalAnalysis, errorMessage: row.errorMessage ?? null };
}

function removedSubAgentPlan(plan: AgentPlan, name: string): AgentPlan {
  const errorMessage = 'The configuration has no such sub-agent any more.';
  const work = async () => ({ status: 'FAILED', finalAnalysis: null, errorMessage }) as const;
  return { ...plan, name, selection: { servers: [] }, work };
}

/** Maximum length of a task (UTF-16 code units): about a page. */
const TASK_MAX_UNITS = 8_000;

/** The operations behind the tools. Their error messages are shown to the model. */
interface SubAgentToolsDeps {
  available: readonly { name: string; description: string }[];
  all(): readonly SubAgent[];
  /**
   * Starts a sub-agent on a task. @param callId id of the tool call; a repeated call finds the sub-agent that
   * it started
   */
  dispatch(name: string, task: string, callId: string): Promise<SubAgent>;
  cancel(id: string): Promise<SubAgent>;
}

function subAgentTools({ available, all, dispatch, cancel }: SubAgentToolsDeps): BuiltinTool[] {
  if (available.length === 0) return [];
  return [
    {
      name: 'tarsy.dispatch_agent',
      description: `Gives a task to a sub-agent, which works on it in parallel while you continue; several can run at once. You receive the answer as a message when the sub-agent ends; do not ask for it. When you have nothing left to do, answer without a tool call, and you will wait until one has ended.\n\nSub-agents:\n${availableSubAgents(available)}`,
      inputSchema: {
        type: 'object',
        properties: {
          name: {
            type: 'string',
            enum: available.map(({ name }) => name),
            description: 'Name of the sub-agent',
          },
          task: {
            type: 'string',
            minLength: 1,
            maxLength: TASK_MAX_UNITS,
            description:
              'The question to answer. The sub-agent knows the alert, but nothing that you have seen',
          },
        },
        required: ['name', 'task'],
      },
      async run({ name, task }, { id }) {
        const agent = await dispatch(String(name), String(task), id);
        return `${agent.name} works on it as ${agent.id}.`;
      },
    },
    {
      name: 'tarsy.cancel_agent',
      description: 'Stops a sub-agent whose answer is no longer needed, and its own sub-agents.',
      inputSchema: {
        type: 'object',
        properties: { execution_id: { type: 'string', description: 'Id that dispatch_agent returned' } },
        required: ['execution_id'],
      },
      async run({ execution_id: id }) {
        const agent = await cancel(String(id).trim());
        return `${delegatedTasks([agent])}.`;
      },
    },
    {
      name: 'tarsy.list_agents',
      description: 'Lists the available sub-agents and the status of the tasks that you gave.',
      inputSchema: { type: 'object', properties: {} },
      run: async () => `Sub-agents:\n${availableSubAgents(available)}\n\nTasks:\n${delegatedTasks(all())}`,
    },
  ];
}
