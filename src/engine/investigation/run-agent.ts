import { withProvider } from '../../config/resolve.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import { storedFirst } from '../agent/calls/flush-before-call.ts';
import { withModel } from '../agent/calls/provider-fallback.ts';
import { answerOnce, runAgentLoop } from '../agent/loop.ts';
import { skillsLoadedEvent } from '../agent/opening.ts';
import { readKept } from '../agent/resume.ts';
import { functionCalling } from '../agent/strategies/function-calling.ts';
import { reactText } from '../agent/strategies/react.ts';
import { withOwnTools } from '../common/builtin-tools.ts';
import { BreakOffError, statusOfFailure } from '../common/interruptions.ts';
import { memoryTools } from '../features/memory/tools.ts';
import { type AgentSkills, skillTools } from '../features/skills/skills.ts';
import { openSubAgents } from '../features/sub-agents/dispatcher.ts';
import type { AgentTree } from '../features/sub-agents/plan.ts';
import { hasOutputs, outputTools, resultLimits } from '../features/tool-outputs/tools.ts';
import type { LlmClient } from '../model/client.ts';
import { createPromptWindow } from '../model/context-window/window.ts';
import { describeError } from '../model/errors.ts';
import type { LlmTask } from '../model/task.ts';
import { openTranscript, type Transcript } from '../run-context/transcript.ts';
import type { AgentContext, AgentOutcome, AgentPlan, AgentResult, SessionRun } from '../run-context/types.ts';
import type { Change } from '../store/event-statement.ts';
import { openJournal } from '../store/journal.ts';
import { type ExecutionProgress, readLeftProviders } from '../store/progress.ts';
import { endExecution } from '../store/stages-and-executions.ts';

/**
 * Runs an agent whose work has begun from its first message to its final status, or goes on where an earlier run broke
 * off. Its failure is an outcome, not an error.
 * @param progress what an earlier run left of it
 * @param family its stage's
 * @param endsWith what is written with its end
 * @throws the run's abort reason, LeaseLostError
 */
export async function runAgent(
  run: SessionRun,
  plan: AgentPlan,
  place: { stageId: string; executionId: string },
  progress: ExecutionProgress | undefined,
  family: AgentTree,
  endsWith: (outcome: AgentOutcome) => Change[] = () => [],
): Promise<AgentOutcome> {
  const { name, resolved } = plan;
  const finished = finishedEarlier(name, progress);
  if (finished) return finished;
  const { executionId } = place;
  const workedMs = progress?.workedMs ?? 0;
  const logger = run.logger.child({ ...place, agent: name });
  const journal = openJournal({ ...run, logger }, place);
  const transcript = await openTranscript({ ...run, journal, place, isResumed: progress !== undefined });
  try {
    const facts = { 'tarsy.agent.name': name, 'tarsy.agent.strategy': resolved.strategy };
    const { written = [], ...result } =
      (await concludedEarlier(transcript, progress?.finalAnalysis ?? null)) ??
      (await run.observer.tracing.agent(facts, async () =>
        work({ ...run, logger }, await asItWas(run, plan, progress), place, transcript, {
          family,
          workedMs,
          runAgent,
        }),
      ));
    const outcome = { name, ...result };
    await journal.write(endExecution(executionId, result), ...written, ...endsWith(outcome));
    return outcome;
  } catch (error) {
    if (error instanceof BreakOffError) {
      await journal.write(); // handed over, it may still say what it was at
      throw error;
    }
    const failure = { status: statusOfFailure(error), errorMessage: describeError(error) };
    if (!run.signal.aborted) logger.error({ err: error }, 'agent failed');
    await journal.write(endExecution(executionId, failure));
    run.signal.throwIfAborted();
    return { name, ...failure, finalAnalysis: null };
  }
}

type Begun = AgentPlan & Pick<AgentContext, 'abandonedProviders'>;

/** Who joins what others found does no work of its own. */
const NO_SKILLS: AgentSkills = { required: [], offered: [] };

/** An agent that goes on does so with the provider that took over, where there was such a one. */
async function asItWas(
  run: SessionRun,
  plan: AgentPlan,
  progress: ExecutionProgress | undefined,
): Promise<Begun> {
  if (!progress?.row.originalLlmProvider) return { ...plan, abandonedProviders: new Set() };
  const { id, llmProvider } = progress.row;
  const abandonedProviders = new Set(await readLeftProviders(run.db, id));
  const isThere = llmProvider != null && run.config.llmProviders[llmProvider] !== undefined;
  const resolved = isThere ? withProvider(run.config, plan.resolved, llmProvider) : plan.resolved;
  return { ...plan, resolved, abandonedProviders };
}

async function work(
  run: SessionRun,
  plan: Begun,
  place: { stageId: string; executionId: string },
  transcript: Transcript,
  around: Parameters<typeof openSubAgents>[3],
): Promise<AgentResult> {
  const { executionId } = place;
  const subAgents = openSubAgents(run, plan, place, around);
  const { resolved, selection, task } = plan;
  const joins = plan.interactionType === 'SYNTHESIS';
  const agentSkills = joins ? NO_SKILLS : await run.skills.of(resolved.agentName);
  const remembering = joins ? [] : await memoryTools(run, (ids) => transcript.noteMemories(ids));
  const own = joins
    ? []
    : [
        ...skillTools(agentSkills.offered, (skills) => transcript.addEvent(skillsLoadedEvent(skills))),
        ...remembering,
        ...subAgents.tools,
      ];
  const kept = transcript.isResumed
    ? await readKept(run.db, executionId, resolved.provider.model)
    : undefined;
  const model = withModel(run, resolved, (llm) => createPromptWindow(llm, kept));
  const { whole: maxUnits } = resultLimits({ ...run, ...model });
  const reader = { db: run.db, sessionId: run.session.id, executionId, maxUnits };
  const hasResults = plan.interactionType === 'CHAT_RESPONSE' && (await hasOutputs(reader));
  const connected = await run.connectTools(selection, run.signal, run.logger);
  const tools = withOwnTools(withOwnTools(connected, own), joins ? [] : outputTools(reader), hasResults);
  let breaksOff: BreakOffError | null = null;
  try {
    subAgents.resume();
    return await (plan.work ?? byStrategy)({
      ...run,
      ...plan,
      recall: remembering.length > 0 ? plan.recall : undefined,
      ...place,
      agentSkills,
      subAgents,
      transcript,
      ...model,
      client: storedFirst.client(tellingTask(run.client, task), transcript),
      tools: storedFirst.tools(tools, transcript),
    });
  } catch (error) {
    if (error instanceof BreakOffError) {
      breaksOff = error;
      await transcript.store(); // its sub-agents may need long to their end
    }
    throw error;
  } finally {
    try {
      await subAgents.stop(breaksOff);
    } finally {
      await tools.close();
    }
  }
}

/** Each way of working: with tools by their codec, or one call without. */
function byStrategy(context: AgentContext): Promise<AgentResult> {
  switch (context.resolved.strategy) {
    case 'LANGCHAIN':
    case 'NATIVE_THINKING':
      return runAgentLoop(context, functionCalling);
    case 'REACT':
      return runAgentLoop(context, reactText(context.masking));
    case 'SINGLE_CALL':
    case 'SYNTHESIS':
    case 'SYNTHESIS_NATIVE_THINKING':
      return answerOnce(context, functionCalling);
  }
}

/** The client, telling with each call what it is about: the loop need not know. */
function tellingTask(client: LlmClient, task: LlmTask): LlmClient {
  const told = (own: LlmTask | undefined) => ({ ...task, ...own });
  return {
    ...client,
    generate: (request, options) => client.generate({ ...request, task: told(request.task) }, options),
  };
}

function finishedEarlier(name: string, progress: ExecutionProgress | undefined): AgentOutcome | null {
  if (!progress || !isTerminalStatus(progress.row.status)) return null;
  const { status, errorMessage } = progress.row;
  return { name, status, finalAnalysis: progress.finalAnalysis, errorMessage: errorMessage ?? null };
}

/** The earlier run showed the analysis and broke off before all of it was written down. */
async function concludedEarlier(
  transcript: Transcript,
  finalAnalysis: string | null,
): Promise<AgentResult | null> {
  if (finalAnalysis === null) return null;
  const last = transcript.messages.at(-1);
  if (last?.role !== 'ASSISTANT') await transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis });
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}
