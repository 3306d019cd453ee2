import { v7 as uuidv7 } from 'uuid';
import type { ResolvedAgent } from '../../config/resolve.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { McpSelection } from '../../mcp/types.ts';
import { UNITS_PER_TOKEN } from '../../text/truncate.ts';
import { statusOfFailure } from '../agent/abort.ts';
import type { AgentContext, AgentResult, OfferedTools } from '../agent/agent.ts';
import { describeError } from '../agent/model-failure.ts';
import { storedFirst } from '../agent/stored-first.ts';
import { openTranscript, type Transcript } from '../agent/transcript.ts';
import { openJournal } from '../journal/journal.ts';
import type { ExecutionProgress } from '../journal/progress.ts';
import { beginExecution, endExecution } from '../journal/work.ts';
import type { LlmClient } from '../llm/client.ts';
import type { LlmTask } from '../llm/task.ts';
import { createPromptWindow } from '../llm/window.ts';
import { BreakOffError } from '../run/break-off.ts';
import { functionCalling } from '../run/function-calling.ts';
import { answerOnce, loop } from '../run/loop.ts';
import { reactText } from '../run/react.ts';
import { llmSettings } from './llm-settings.ts';
import type { SessionRun } from './run.ts';
import { summaryPlans } from './summary-plans.ts';

/** One agent's work within a stage, whatever the stage is for. */
export interface Execution {
  stageId: string;
  agentIndex: number;
  /** Name shown: that of the configuration, numbered for replicas. */
  displayName: string;
  resolved: ResolvedAgent;
  interactionType: AgentContext['interactionType'];
  selection: McpSelection;
  opening: (tools: OfferedTools) => { system: string; user: string };
  /** What it is about, as data. */
  task: LlmTask;
  /** What an earlier run left of this work. */
  progress: ExecutionProgress | undefined;
}

export interface ExecutionOutcome {
  executionId: string;
  name: string;
  status: AgentResult['status'] | 'CANCELLED';
  finalAnalysis: string | null;
  errorMessage: string | null;
}

/**
 * Runs an agent from its first message to its final status, or goes on where an earlier run broke off. Its failure is
 * an outcome, not an error.
 * @throws the run's abort reason, LeaseLostError
 */
export async function execute(run: SessionRun, execution: Execution): Promise<ExecutionOutcome> {
  const { displayName: name, progress } = execution;
  if (progress && isTerminalStatus(progress.row.status)) {
    const { status, errorMessage, id } = progress.row;
    const finalAnalysis = progress.finalAnalysis;
    return { executionId: id, name, status, finalAnalysis, errorMessage: errorMessage ?? null };
  }
  const executionId = progress?.row.id ?? uuidv7();
  const { stageId } = execution;
  const logger = run.logger.child({ stageId, executionId, agent: name });
  const journal = openJournal({ ...run, logger }, { stageId, executionId });
  if (!progress) await journal.write(beginExecution(executionId, newExecution(execution)));
  const transcript = await openTranscript({
    ...run,
    journal,
    place: { stageId, executionId },
    isResumed: progress !== undefined,
  });
  try {
    const facts = { 'tarsy.agent.name': name, 'tarsy.agent.strategy': execution.resolved.strategy };
    const result =
      (await concludedEarlier(execution, transcript)) ??
      (await run.observer.tracing.agent(facts, () =>
        work({ ...run, logger }, execution, executionId, transcript),
      ));
    await journal.write(endExecution(executionId, result));
    return { executionId, name, ...result };
  } catch (error) {
    if (error instanceof BreakOffError) {
      await journal.write(); // handed over, it may still say what it was at
      throw error;
    }
    const status = statusOfFailure(error);
    const errorMessage = describeError(error);
    if (!run.signal.aborted) logger.error({ err: error }, 'agent failed');
    await journal.write(endExecution(executionId, { status, errorMessage }));
    run.signal.throwIfAborted();
    return { executionId, name, status, finalAnalysis: null, errorMessage };
  }
}

async function work(
  run: SessionRun,
  execution: Execution,
  executionId: string,
  transcript: Transcript,
): Promise<AgentResult> {
  const { db, logger } = run;
  const { resolved } = execution;
  const tools = await run.connectTools(execution.selection, run.signal, logger);
  const llm = llmSettings(resolved, {
    nativeTools: run.session.mcpSelection?.nativeTools ?? null,
    replaces: run.config.system.mcpSelection === 'replace',
  });
  try {
    return await byStrategy({
      db,
      sessionId: run.session.id,
      executionId,
      agentName: execution.displayName,
      strategy: resolved.strategy,
      llm,
      window: createPromptWindow(llm),
      limits: {
        maxIterations: resolved.maxIterations,
        iterationMs: resolved.timeouts.iterationMs,
        toolCallMs: resolved.timeouts.toolCallMs,
        outageMs: resolved.timeouts.llmOutageMs,
        maxConsecutiveFailures: run.config.defaults.maxConsecutiveFailures,
        traceResultUnits: run.config.defaults.toolResults.traceMaxTokens * UNITS_PER_TOKEN,
      },
      client: storedFirst.client(tellingTask(run.client, execution.task), transcript),
      outages: run.outages,
      tools: storedFirst.tools(tools, transcript),
      masking: run.masking,
      summaryPlan: summaryPlans(run.config, resolved),
      transcript,
      opening: execution.opening,
      interactionType: execution.interactionType,
      signal: run.signal,
      logger,
    });
  } finally {
    await tools.close();
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

/** Each way of working: with tools by their codec, or one call without. */
function byStrategy(context: AgentContext): Promise<AgentResult> {
  switch (context.strategy) {
    case 'LANGCHAIN':
    case 'NATIVE_THINKING':
      return loop(context, functionCalling);
    case 'REACT':
      return loop(context, reactText(context.masking));
    case 'SINGLE_CALL':
    case 'SYNTHESIS':
    case 'SYNTHESIS_NATIVE_THINKING':
      return answerOnce(context, functionCalling);
  }
}

function newExecution({ stageId, displayName, agentIndex, resolved }: Execution) {
  return {
    stageId,
    agentName: displayName,
    agentIndex,
    iterationStrategy: resolved.strategy,
    llmProvider: resolved.providerName,
    llmBackend: resolved.backend,
    modelName: resolved.provider.model,
  };
}

/** The earlier run showed the analysis and broke off before all of it was written down. */
async function concludedEarlier(
  { progress }: Execution,
  transcript: Transcript,
): Promise<AgentResult | null> {
  if (progress?.finalAnalysis == null) return null;
  const { finalAnalysis } = progress;
  const last = transcript.messages.at(-1);
  if (last?.role !== 'ASSISTANT') await transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis });
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}
