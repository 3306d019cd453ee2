import type { Logger } from 'pino';
import { type ResolvedAgent, resolveAgent } from '../../config/resolve.ts';
import type { ChainConfig, Config, StageAgentConfig, StageConfig } from '../../config/types.ts';
import type { AgentExecutionRow, AlertSessionRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import { HandedOverError, mustNotWrite, statusOfFailure } from '../agent/abort.ts';
import type { AgentContext, AgentResult } from '../agent/agent.ts';
import { controllerFor } from '../agent/controllers/index.ts';
import { describeError } from '../agent/model-call.ts';
import { openTranscript } from '../agent/transcript.ts';
import type { Fence, Queryable } from '../events/log.ts';
import type { LlmClient } from '../llm/client.ts';
import type { McpSelection, ToolExecutor } from '../mcp/types.ts';
import { llmSettings } from './llm-settings.ts';
import type { ExecutionProgress } from './progress.ts';
import { finishExecution, startExecution } from './stages.ts';

/** What a run of a session works with. */
export interface RunDeps {
  db: Queryable;
  config: Config;
  client: LlmClient;
  /** Connects to MCP servers for one agent's work. */
  connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  logger: Logger;
}

/** The run itself: whose session it is, and when it must end. */
export interface SessionRun extends RunDeps {
  fence: Fence;
  session: AlertSessionRow;
  chain: ChainConfig;
  /** Aborts with the reason why the session ends. */
  signal: AbortSignal;
}

export interface AgentRun {
  stageId: string;
  stage: StageConfig;
  agent: StageAgentConfig;
  /** Name shown: that of the configuration, numbered for replicas. */
  displayName: string;
  agentIndex: number;
  previousStages: readonly { name: string; finalAnalysis: string }[];
  /** What an earlier run left of this agent's work. */
  progress: ExecutionProgress | undefined;
}

export type AgentOutcome = { name: string; finalAnalysis: string | null; errorMessage: string | null } & {
  status: AgentResult['status'] | 'CANCELLED';
};

/**
 * Runs one agent of a stage from its configuration to its final status. Its failure is an outcome, not an error.
 * @throws the run's abort reason, LeaseLostError
 */
export async function runAgent(run: SessionRun, agent: AgentRun): Promise<AgentOutcome> {
  const { db, fence, config } = run;
  const finished = finishedEarlier(agent);
  if (finished) return finished;
  const resolved = resolveAgent(config, { chain: run.chain, stage: agent.stage, agent: agent.agent });
  const row = agent.progress?.row ?? (await startExecution(db, fence, newExecution(agent, resolved)));
  const logger = run.logger.child({ stageId: agent.stageId, executionId: row.id, agent: agent.displayName });
  try {
    const result = alreadyConcluded(agent) ?? (await work({ ...run, logger }, agent, resolved, row));
    await finishExecution(db, fence, row.id, result);
    return { name: agent.displayName, ...result };
  } catch (error) {
    if (mustNotWrite(error) || error instanceof HandedOverError) throw error;
    const status = statusOfFailure(error);
    const errorMessage = describeError(error);
    if (!run.signal.aborted) logger.error({ err: error }, 'agent failed');
    await finishExecution(db, fence, row.id, { status, errorMessage });
    run.signal.throwIfAborted();
    return { name: agent.displayName, status, finalAnalysis: null, errorMessage };
  }
}

async function work(
  run: SessionRun,
  agent: AgentRun,
  resolved: ResolvedAgent,
  row: AgentExecutionRow,
): Promise<AgentResult> {
  const { db, fence, session, config, logger } = run;
  const controller = controllerFor(resolved.strategy);
  const place = { stageId: agent.stageId, executionId: row.id };
  const transcript = await openTranscript({ db, fence, place, logger });
  const selection = selectionOf(session, resolved);
  const tools = await run.connectTools(selection, run.signal, logger);
  try {
    const context: AgentContext = {
      db,
      sessionId: session.id,
      executionId: row.id,
      agentName: agent.displayName,
      strategy: resolved.strategy,
      llm: llmSettings(resolved),
      limits: {
        maxIterations: resolved.maxIterations,
        iterationMs: resolved.timeouts.iterationMs,
        toolCallMs: resolved.timeouts.toolCallMs,
      },
      client: run.client,
      tools,
      transcript,
      prompt: {
        alertType: session.alertType,
        alertData: session.alertData,
        runbook: config.defaults.runbook.trim() === '' ? null : config.defaults.runbook,
        runbookUrl: session.runbookUrl ?? null,
        previousStages: agent.previousStages,
        mcpServers: selection.servers.map(({ name }) => ({
          id: name,
          instructions: config.mcpServers[name]?.instructions ?? '',
        })),
        customInstructions: resolved.customInstructions,
      },
      signal: run.signal,
      logger,
    };
    return await controller(context);
  } finally {
    await tools.close();
  }
}

/** What the alert's sender chose replaces the configured servers as a whole. */
function selectionOf(session: AlertSessionRow, resolved: ResolvedAgent): McpSelection {
  if (session.mcpSelection) return { servers: session.mcpSelection.servers };
  return { servers: resolved.mcpServers.map((name) => ({ name, tools: null })) };
}

function newExecution(agent: AgentRun, resolved: ResolvedAgent) {
  return {
    stageId: agent.stageId,
    agentName: agent.displayName,
    agentIndex: agent.agentIndex,
    iterationStrategy: resolved.strategy,
    llmProvider: resolved.providerName,
    llmBackend: resolved.backend,
    modelName: resolved.provider.model,
  };
}

function finishedEarlier({ progress, displayName }: AgentRun): AgentOutcome | null {
  if (!progress || !isTerminalStatus(progress.row.status)) return null;
  const { status, errorMessage } = progress.row;
  return {
    name: displayName,
    status,
    finalAnalysis: progress.finalAnalysis,
    errorMessage: errorMessage ?? null,
  };
}

/** The earlier run wrote the analysis and broke off before it could say so. */
function alreadyConcluded({ progress }: AgentRun): AgentResult | null {
  if (progress?.finalAnalysis == null) return null;
  return { status: 'COMPLETED', finalAnalysis: progress.finalAnalysis, errorMessage: null };
}
