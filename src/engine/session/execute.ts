import type { ResolvedAgent } from '../../config/resolve.ts';
import type { AgentExecutionRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { McpSelection } from '../../mcp/types.ts';
import { UNITS_PER_TOKEN } from '../../text/truncate.ts';
import { statusOfFailure } from '../agent/abort.ts';
import type { AgentContext, AgentResult, OfferedTools } from '../agent/agent.ts';
import { describeError } from '../agent/model-failure.ts';
import { openTranscript } from '../agent/transcript.ts';
import type { LlmClient } from '../llm/client.ts';
import type { LlmTask } from '../llm/task.ts';
import { createPromptWindow } from '../llm/window.ts';
import { BreakOffError } from '../run/break-off.ts';
import { functionCalling } from '../run/function-calling.ts';
import { answerOnce, loop } from '../run/loop.ts';
import { reactText } from '../run/react.ts';
import { llmSettings } from './llm-settings.ts';
import type { ExecutionProgress } from './progress.ts';
import type { SessionRun } from './run.ts';
import { finishExecution, startExecution } from './stages.ts';
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
  const { db, fence } = run;
  const { displayName: name, progress } = execution;
  if (progress && isTerminalStatus(progress.row.status)) {
    const { status, errorMessage, id } = progress.row;
    const finalAnalysis = progress.finalAnalysis;
    return { executionId: id, name, status, finalAnalysis, errorMessage: errorMessage ?? null };
  }
  const row = progress?.row ?? (await startExecution(db, fence, newExecution(execution)));
  const logger = run.logger.child({ stageId: execution.stageId, executionId: row.id, agent: name });
  try {
    const facts = { 'tarsy.agent.name': name, 'tarsy.agent.strategy': execution.resolved.strategy };
    const result =
      (await concludedEarlier(run, execution, row)) ??
      (await run.observer.tracing.agent(facts, () => work({ ...run, logger }, execution, row)));
    await finishExecution(db, fence, row.id, result);
    return { executionId: row.id, name, ...result };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const status = statusOfFailure(error);
    const errorMessage = describeError(error);
    if (!run.signal.aborted) logger.error({ err: error }, 'agent failed');
    await finishExecution(db, fence, row.id, { status, errorMessage });
    run.signal.throwIfAborted();
    return { executionId: row.id, name, status, finalAnalysis: null, errorMessage };
  }
}

async function work(run: SessionRun, execution: Execution, row: AgentExecutionRow): Promise<AgentResult> {
  const { db, logger } = run;
  const { resolved } = execution;
  const place = { stageId: execution.stageId, executionId: row.id };
  const transcript = await openTranscript({ ...run, place });
  const tools = await run.connectTools(execution.selection, run.signal, logger);
  const llm = llmSettings(resolved, {
    nativeTools: run.session.mcpSelection?.nativeTools ?? null,
    replaces: run.config.system.mcpSelection === 'replace',
  });
  try {
    return await byStrategy({
      db,
      sessionId: run.session.id,
      executionId: row.id,
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
      client: tellingTask(run.client, execution.task),
      outages: run.outages,
      tools,
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
  run: SessionRun,
  { progress, stageId }: Execution,
  row: AgentExecutionRow,
): Promise<AgentResult | null> {
  if (progress?.finalAnalysis == null) return null;
  const { finalAnalysis } = progress;
  const place = { stageId, executionId: row.id };
  const transcript = await openTranscript({ ...run, place });
  const last = transcript.messages.at(-1);
  if (last?.role !== 'ASSISTANT') await transcript.addMessage({ role: 'ASSISTANT', content: finalAnalysis });
  return { status: 'COMPLETED', finalAnalysis, errorMessage: null };
}
