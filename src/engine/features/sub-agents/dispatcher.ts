import { isTerminalStatus } from '../../../db/enums.ts';
import type { OwnTool } from '../../common/builtin-tools.ts';
import {
  BreakOffError,
  CancelledError,
  isOwn,
  SubAgentTimeoutError,
  statusOfFailure,
} from '../../common/interruptions.ts';
import { describeError } from '../../model/errors.ts';
import type { AgentOutcome, AgentPlan, SessionRun, SubAgent, SubAgents } from '../../run-context/types.ts';
import { writeStep } from '../../store/event-statement.ts';
import type { ExecutionProgress } from '../../store/progress.ts';
import { beginExecution } from '../../store/stages-and-executions.ts';
import { addItem } from '../../store/timeline.ts';
import { type AgentTree, executionRow, type Level, refusalOf, subAgentId, subAgentPlan } from './plan.ts';
import { subAgentTools } from './tools.ts';

/** The sub-agents of one agent's work, while it lasts. */
export interface RunSubAgents extends SubAgents {
  tools: OwnTool[];
  /** Has those go on that an earlier run left at work. */
  resume(): void;
  /**
   * Stops those at work, and waits for them; where their agent just waits, they come to their own end first, or wait too.
   * @param breaksOff why their agent does: they go on with it, later; null = it has ended, and they end with it
   * @throws BreakOffError where one of them broke off, and their agent did not
   */
  stop(breaksOff: BreakOffError | null): Promise<void>;
}

/** How a sub-agent is run: as any agent is. */
export type RunSubAgent = (
  run: SessionRun,
  plan: AgentPlan,
  place: { stageId: string; executionId: string },
  progress: ExecutionProgress | undefined,
  family: AgentTree,
) => Promise<AgentOutcome>;

interface Known extends SubAgent {
  stop(reason: Error): void;
  /** Never fails. */
  done: Promise<void>;
}

/**
 * @param workedMs milliseconds that earlier runs worked as the agent
 * @param runAgent how each is run
 */
export function openSubAgents(
  run: SessionRun,
  plan: AgentPlan,
  { stageId, executionId }: { stageId: string; executionId: string },
  { family, workedMs, runAgent }: { family: AgentTree; workedMs: number; runAgent: RunSubAgent },
): RunSubAgents {
  const limits = plan.resolved.orchestrator;
  const left = family.left(executionId);
  const beganAt = performance.now() - workedMs;
  const level: Level = {
    limits,
    begun: family.countBelow(executionId),
    running: 0,
    workedMs: () => performance.now() - beganAt,
  };
  const levels = [...family.levels, level];
  const known = new Map(left.map((progress) => [progress.row.id, earlier(progress)]));
  const ending = new AbortController();
  const around = AbortSignal.any([run.signal, ending.signal]);
  let broken: BreakOffError | null = null;

  function count({ begun = 0, running }: { begun?: number; running: number }): void {
    for (const each of levels) {
      each.begun += begun;
      each.running += running;
    }
  }

  /** The agent with this task, counted already, begins or goes on. */
  function start(agent: Known, subPlan: AgentPlan, progress?: ExecutionProgress): void {
    const own = new AbortController();
    const stop = (reason: Error) => own.abort(reason);
    const times = [
      timer(limits.agentTimeoutMs - (progress?.workedMs ?? 0), () =>
        stop(new SubAgentTimeoutError(limits.agentTimeoutMs)),
      ),
      timer(limits.maxBudgetMs - level.workedMs(), () => stop(new SubAgentTimeoutError(limits.maxBudgetMs))),
    ];
    const signal = AbortSignal.any([around, own.signal]);
    const end = (how: Pick<SubAgent, 'status' | 'finalAnalysis' | 'errorMessage'>) =>
      Object.assign(agent, how);
    const done = runAgent({ ...run, signal }, subPlan, { stageId, executionId: agent.id }, progress, {
      ...family,
      levels,
    })
      .then(({ status, finalAnalysis, errorMessage }) => end({ status, finalAnalysis, errorMessage }))
      .catch((error: unknown) => {
        if (error instanceof BreakOffError) broken = error;
        else end({ status: statusOfFailure(error), finalAnalysis: null, errorMessage: describeError(error) });
      })
      .then(() => {
        for (const time of times) clearTimeout(time);
        count({ running: -1 });
      });
    Object.assign(agent, { stop, done });
  }

  async function dispatch(name: string, given: string, call: string): Promise<SubAgent> {
    const masked = run.masking.maskArguments('tarsy', JSON.stringify({ task: given }));
    const { task } = JSON.parse(masked) as { task: string };
    const id = subAgentId(executionId, call, task);
    const found = known.get(id);
    if (found !== undefined) return found; // this very call was made before
    const refusal = refusalOf(levels);
    if (refusal !== null) throw new Error(refusal);
    const subPlan = subAgentPlan(run, plan, name, task);
    if (subPlan === null) throw new Error(`There is no sub-agent ${name.slice(0, 80)}.`);
    const agent = atWork(id, name, task);
    known.set(id, agent);
    count({ begun: 1, running: 1 }); // before it is stored: more of the same answer may be given tasks meanwhile
    try {
      const begun = executionRow(subPlan, { stageId, agentIndex: family.nextIndex() });
      await writeStep(run.db, run.fence, [
        beginExecution(id, { ...begun, parentExecutionId: executionId, task }),
        addItem({ stageId, executionId: id }, { type: 'SUBAGENT_TASK', status: 'COMPLETED', content: task }),
      ]);
    } catch (error) {
      known.delete(id);
      count({ begun: -1, running: -1 });
      throw error;
    }
    start(agent, subPlan);
    return agent;
  }

  async function cancel(id: string): Promise<SubAgent> {
    const agent = known.get(id);
    if (agent === undefined) throw new Error(`You have no sub-agent ${id.slice(0, 80)}.`);
    agent.stop(new CancelledError('Cancelled by the agent that gave it its task.'));
    await agent.done; // written before the call is answered: else it would go on after a crash
    if (agent.status === 'ACTIVE') check(); // it broke off instead: the call is made again
    return agent;
  }

  const all = () => [...known.values()];
  const check = () => {
    if (broken !== null) throw broken;
  };
  const definitions = plan.resolved.subAgents.map(({ name }) => run.config.agents[name]!);
  return {
    tools: subAgentTools({ possible: definitions, all, dispatch, cancel }),
    all,
    check,
    async nextEnd() {
      const working = [...known.values()].filter(({ status }) => status === 'ACTIVE');
      if (working.length > 0) await Promise.race(working.map(({ done }) => done));
    },
    resume() {
      for (const progress of left) {
        const agent = known.get(progress.row.id)!;
        if (agent.status !== 'ACTIVE') continue;
        count({ running: 1 });
        start(agent, subAgentPlan(run, plan, agent.name, agent.task) ?? goneFrom(plan, agent.name), progress);
      }
    },
    async stop(breaksOff) {
      // One that waits cuts off no other: it may be at a call that people have approved.
      if (breaksOff === null || !isOwn(breaksOff))
        ending.abort(breaksOff ?? new CancelledError('The agent that gave it its task has ended.'));
      await Promise.all([...known.values()].map(({ done }) => done));
      if (breaksOff === null) check();
    },
  };
}

function atWork(id: string, name: string, task: string): Known {
  const nothing = { finalAnalysis: null, errorMessage: null, stop: () => {}, done: Promise.resolve() };
  return { id, name, task, status: 'ACTIVE', ...nothing };
}

/** As an earlier run left it. */
function earlier({ row, finalAnalysis }: ExecutionProgress): Known {
  const agent = atWork(row.id, row.agentName, row.task ?? '');
  if (!isTerminalStatus(row.status)) return agent;
  return { ...agent, status: row.status, finalAnalysis, errorMessage: row.errorMessage ?? null };
}

/** Of an agent that may have no sub-agent of this name any more. */
function goneFrom(plan: AgentPlan, name: string): AgentPlan {
  const errorMessage = 'The configuration has no such sub-agent any more.';
  const work = async () => ({ status: 'FAILED', finalAnalysis: null, errorMessage }) as const;
  return { ...plan, name, selection: { servers: [] }, work };
}

function timer(ms: number, up: () => void): NodeJS.Timeout {
  return setTimeout(up, Math.max(0, ms));
}
