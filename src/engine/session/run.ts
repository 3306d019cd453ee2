import type { Logger } from 'pino';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { McpSelection, ToolExecutor } from '../../mcp/types.ts';
import type { Runbooks } from '../../runbooks/runbooks.ts';
import type { TurnBox } from '../agent/turn-box.ts';
import type { Announcer } from '../events/announcer.ts';
import type { Fence } from '../journal/step.ts';
import type { LlmClient } from '../llm/client.ts';
import type { LlmOutages } from '../llm/outages.ts';
import type { LlmTask } from '../llm/task.ts';
import type { Observer } from '../observer.ts';
import type { SessionRunbook } from './session-runbook.ts';

/** What a run of a session works with. */
export interface RunDeps {
  db: Queryable;
  announcer: Pick<Announcer, 'announce'>;
  config: Config;
  client: LlmClient;
  /** Of this process. */
  outages: LlmOutages;
  masking: Masking;
  turns: TurnBox;
  /** Connects to MCP servers for one agent's work. */
  connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  runbooks: Pick<Runbooks, 'read'>;
  observer: Observer;
  logger: Logger;
}

/** The run itself: whose session it is, and when it must end. */
export interface SessionRun extends RunDeps {
  fence: Fence;
  session: AlertSessionRow;
  chain: ChainConfig;
  runbook: SessionRunbook;
  /** Aborts with the reason why the run ends. */
  signal: AbortSignal;
}

/**
 * What the alert's sender chose narrows what is configured for an agent, or replaces it, as the configuration says.
 * @param question what is asked about the alert, if anything
 */
export function selectionOf(
  { session, config }: Pick<SessionRun, 'session' | 'config'>,
  configured: readonly string[],
  question = '',
): McpSelection {
  const about = [question, session.alertType, session.alertData].join('\n');
  if (!session.mcpSelection) return { about, servers: configured.map((name) => ({ name, tools: null })) };
  const replaces = config.system.mcpSelection === 'replace';
  const servers = session.mcpSelection.servers.filter(
    ({ name, tools }) => tools?.length !== 0 && (replaces || configured.includes(name)),
  );
  return { about, servers };
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
export function subjectOf({ session, runbook }: SessionRun): LlmTask {
  return { alert: session.alertData, runbook: runbook.content };
}

/** What the operators of the selected servers wrote about their use. */
export function serverInstructions({ config }: RunDeps, selection: McpSelection) {
  return selection.servers.map(({ name }) => ({
    id: name,
    instructions: config.mcpServers[name]?.instructions ?? '',
  }));
}
