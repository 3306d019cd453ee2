import { formatDuration } from '../../config/durations.ts';
import { switchedTo } from '../../config/resolve.ts';
import type { SessionWait } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { McpSelection, ToolExecutor } from '../../mcp/types.ts';
import { modelContext } from '../agent/calls/provider-fallback.ts';
import { timedOut } from '../agent/conclusion.ts';
import { storingTools } from '../agent/connect-tools.ts';
import { EMPTY_RESPONSE_PROMPT } from '../agent/iteration.ts';
import { answerOnce, runAgentLoop } from '../agent/loop.ts';
import { skillsLoadedEvent } from '../agent/opening.ts';
import { readKept } from '../agent/resume.ts';
import { reactText } from '../agent/strategies/react.ts';
import type { TracedAgent } from '../api/tracing.ts';
import { withBuiltinTools } from '../common/builtin-tools.ts';
import { RunInterruptedError, SubAgentTimeoutError, statusOfFailure } from '../common/interruptions.ts';
import { hypothesisTools } from '../features/hypotheses/tool.ts';
import { memoryTools } from '../features/memory/tools.ts';
import { type AgentSkills, skillTools } from '../features/skills/skills.ts';
import { openSubAgents } from '../features/sub-agents/dispatcher.ts';
import type { StageAgent } from '../features/sub-agents/plan.ts';
import { hasOutputs, outputTools, resultLimits } from '../features/tool-outputs/tools.ts';
import { createPromptWindow } from '../model/context-window/window.ts';
import { describeError } from '../model/errors.ts';
import type { Codec } from '../run-context/codec.ts';
import { workSignal } from '../run-context/time-budget.ts';
import { openTranscript, type Transcript } from '../run-context/transcript.ts';
import type { AgentContext, AgentOutcome, AgentResult, SessionRun } from '../run-context/types.ts';
import type { RowChange } from '../store/event-statement.ts';
import { openJournal } from '../store/journal.ts';
import { readPreviousProviders } from '../store/progress.ts';
import { endExecution } from '../store/stages-and-executions.ts';
import { withRunWait } from '../store/waits.ts';

const NO_SKILLS: AgentSkills = { required: [], offered: [] };

/**
 * Runs an agent, whose execution is stored, to its final status, or resumes it from stored state:
 * 1. returns the stored outcome if an earlier run ended it
 * 2. opens its transcript with the stored conversation
 * 3. completes the agent with the stored analysis, if an earlier run was interrupted just before the end
 * 4. otherwise connects its tools, resumes its sub-agents and runs its strategy
 * 5. stores its end, its own rows and those of `stageEnd` in one statement
 * A failure is an outcome, not an error.
 * @throws the run's abort reason, LeaseLostError
 */
export async function runAgent(
  run: SessionRun,
  agent: StageAgent,
  stageEnd: (outcome: AgentOutcome) => RowChange[] = () => [],
): Promise<AgentOutcome> {
  const { plan, ids, progress } = agent;
  const { name } = plan;
  if (progress && isTerminalStatus(progress.row.status)) {
    const { status, errorMessage = null } = progress.row;
    return { name, status, finalAnalysis: progress.finalAnalysis, errorMessage };
  }
  const { executionId } = ids;
  const logger = run.logger.child({ ...ids, agent: name });
  const journal = openJournal({ ...run, logger }, ids);
  const transcript = await openTranscript({
    ...run,
    sessionId: run.session.id,
    journal,
    ids,
    isResumed: progress !== undefined,
  });
  try {
    const finalAnalysis = progress?.finalAnalysis ?? null;
    const { noted = [], ...result } =
      finalAnalysis === null
        ? await run.observer.tracing.agent(tracedAgent(run, agent), () =>
            work({ ...run, logger }, agent, transcript),
          )
        : await concludeWith(finalAnalysis, transcript);
    const outcome = { name, ...result };
    await journal.write(endExecution(executionId, result), ...noted, ...stageEnd(outcome));
    return outcome;
  } catch (error) {
    if (error instanceof RunInterruptedError) {
      await journal.write(); // a run that hands over may still store its buffered changes
      throw error;
    }
    const errorMessage = describeError(error);
    const status = statusOfFailure(error);
    if (!run.signal.aborted) logger.error({ err: error }, 'agent failed');
    const known = status === 'TIMED_OUT' ? timedOut({ transcript, ...ids }, errorMessage) : null;
    const finalAnalysis = known?.finalAnalysis ?? null;
    await journal.write(endExecution(executionId, { status, errorMessage }), ...(known?.noted ?? []));
    if (!(run.signal.reason instanceof SubAgentTimeoutError)) run.signal.throwIfAborted();
    return { name, status, errorMessage, finalAnalysis };
  }
}

function tracedAgent({ session }: SessionRun, { plan, ids }: StageAgent): TracedAgent {
  const { provider, strategy } = plan.resolved;
  const model = { provider: provider.type, model: provider.model, baseUrl: provider.baseUrl };
  return { sessionId: session.id, executionId: ids.executionId, name: plan.name, strategy, model };
}

/** Completes an agent whose analysis is stored, but not its last message or its end. */
async function concludeWith(finalAnalysis: string, transcript: Transcript): Promise<AgentResult> {
  const last = transcript.messages.at(-1);
  if (last?.role !== 'ASSISTANT') await transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis });
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}

async function work(run: SessionRun, agent: StageAgent, transcript: Transcript): Promise<AgentResult> {
  const { ids } = agent;
  const { plan, abandonedProviders } = await withStoredProvider(run, agent);
  const subAgents = openSubAgents(run, { ...agent, plan }, runAgent);
  const { resolved, selection } = plan;
  const isSynthesis = plan.interactionType === 'SYNTHESIS'; // a synthesis only merges results, so it gets no tools
  const { model: modelName } = resolved.provider;
  const execution = { name: plan.name, executionId: ids.executionId };
  const connecting = withRunWait(run, toolsWait(run, agent), () =>
    connectInTime(run, { ...selection, agent: execution }),
  );
  const sessionId = run.session.id;
  const reads = Promise.all([
    isSynthesis ? NO_SKILLS : run.skills.forAgent(resolved.agentName),
    isSynthesis ? [] : memoryTools(run, (used) => transcript.noteMemories(used)),
    transcript.isResumed ? readKept(run.db, { sessionId, ...ids }, modelName) : undefined,
    plan.interactionType === 'CHAT_RESPONSE' && hasOutputs({ db: run.db, sessionId }),
  ]);
  const [connected, [agentSkills, remembering, kept, hasResults]] = await connectedBeside(connecting, reads);
  const builtin = isSynthesis
    ? []
    : [
        ...skillTools(agentSkills.offered, (skills) => transcript.addEvent(skillsLoadedEvent(skills))),
        ...remembering,
        ...subAgents.tools,
      ];
  const model = modelContext(run, resolved, (llm) => createPromptWindow(llm, kept));
  const { whole: maxUnits } = resultLimits({ ...run, ...model });
  const reader = { db: run.db, sessionId, executionId: ids.executionId, maxUnits };
  const keepsHypotheses = plan.interactionType === 'ITERATION';
  const hypotheses = keepsHypotheses ? hypothesisTools({ run, ...ids, transcript }) : [];
  const tools = withBuiltinTools(
    withBuiltinTools(connected, builtin),
    isSynthesis ? [] : [...outputTools(reader), ...hypotheses],
    hasResults,
  );
  let interruption: RunInterruptedError | null = null;
  try {
    subAgents.resume();
    return await (plan.work ?? byStrategy)({
      ...run,
      ...plan,
      recall: remembering.length > 0 ? plan.recall : undefined,
      ...ids,
      abandonedProviders,
      agentSkills,
      subAgents,
      transcript,
      ...model,
      tools: storingTools(tools, transcript),
    });
  } catch (error) {
    if (error instanceof RunInterruptedError) {
      interruption = error;
      await transcript.store(); // before the sub-agents stop, because they may take long
    }
    throw error;
  } finally {
    try {
      await subAgents.stop(interruption);
    } finally {
      endTools(run, tools);
    }
  }
}

/** Ends an agent's tools in the background, because some MCP servers take seconds to exit. */
function endTools({ endingTools, logger }: SessionRun, tools: ToolExecutor): void {
  const ended = tools
    .close()
    .catch((error: unknown) => logger.warn({ err: error }, 'tools not closed'))
    .finally(() => endingTools.delete(ended));
  endingTools.add(ended);
}

/** Waits for an agent's tools and for `reads`, which run at the same time. Closes the tools if `reads` fails. */
async function connectedBeside<T>(
  connecting: Promise<ToolExecutor>,
  reads: Promise<T>,
): Promise<[ToolExecutor, T]> {
  const [tools, read] = await Promise.allSettled([connecting, reads]);
  if (tools.status === 'rejected') throw tools.reason;
  if (read.status === 'fulfilled') return [tools.value, read.value];
  await tools.value.close();
  throw read.reason;
}

/** Connects an agent's tools; none if the reserve of its time begins before they are connected. */
async function connectInTime(run: SessionRun, selection: McpSelection): Promise<ToolExecutor> {
  const signal = workSignal(run);
  try {
    // A server's program may hold a lock until it exits.
    if (selection.servers.length > 0) await Promise.all(run.endingTools);
    return await run.connectTools(selection, signal, run.logger);
  } catch (error) {
    if (run.signal.aborted || !signal.aborted) throw error;
    return run.connectTools({ ...selection, servers: [] }, run.signal, run.logger);
  }
}

/** Time (ms) that MCP servers have to connect before the session counts as waiting for them. */
const CONNECTING_MS = 2_000;

function toolsWait(
  { config }: SessionRun,
  { plan, ids }: StageAgent,
): { wait: SessionWait; afterMs: number } {
  const servers = plan.selection.servers.map(({ name }) => name).join(', ');
  const limitMs = config.defaults.timeouts.mcpInitMs;
  const message = `${plan.name} waits for its MCP servers (${servers}). An unavailable server is skipped after ${formatDuration(limitMs)}.`;
  const until = new Date(Date.now() + limitMs).toISOString();
  return {
    wait: { reason: 'TOOLS', cause: `tools/${ids.executionId}`, message, until },
    afterMs: CONNECTING_MS,
  };
}

/** Returns the plan with the provider that an earlier run fell back to, and the names of the providers it abandoned. */
async function withStoredProvider(
  run: SessionRun,
  { plan, progress }: StageAgent,
): Promise<Pick<StageAgent, 'plan'> & Pick<AgentContext, 'abandonedProviders'>> {
  if (!progress?.row.originalLlmProvider) return { plan, abandonedProviders: new Set() };
  const { id, llmProvider } = progress.row;
  const abandonedProviders = new Set(
    await readPreviousProviders(run.db, { sessionId: run.session.id, executionId: id }),
  );
  const isConfigured = llmProvider != null && run.config.llmProviders[llmProvider] !== undefined;
  const resolved = isConfigured ? switchedTo(run.config, plan.resolved, llmProvider) : plan.resolved;
  return { plan: { ...plan, resolved }, abandonedProviders };
}

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

/** Codec for models with function calling. A text without a call is the final answer. */
const functionCalling: Codec = {
  instructions: () => undefined,
  offered: (tools) => ({ tools }),
  gate: () => ({ add: (delta) => delta, end: () => '' }),
  traced: (text) => text,
  partial: (text) => text,
  read({ text, toolCalls, ...answer }) {
    if (toolCalls.length === 0) return functionCalling.readConclusion({ text, toolCalls, ...answer });
    return { turn: { kind: 'calls', calls: toolCalls }, content: text, said: {} };
  },
  readConclusion({ text }) {
    if (text.trim() === '')
      return { turn: { kind: 'empty', feedback: EMPTY_RESPONSE_PROMPT }, content: text, said: {} };
    return { turn: { kind: 'final', analysis: text }, content: text, said: { type: 'FINAL_ANALYSIS' } };
  },
  results: (messages) => messages,
  conclusionPrompt: (words) => words,
};
