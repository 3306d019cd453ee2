import type { Logger } from 'pino';
import type { CaseDocument } from '../../../cases/document.ts';
import { replayConfig } from '../../../config/replay-config.ts';
import type { Config } from '../../../config/types.ts';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { Masking } from '../../../masking/masking.ts';
import type { McpSelection, ToolExecutor } from '../../../mcp/types.ts';
import type { Observer } from '../../api/observer.ts';
import { withoutMetrics } from './quiet-metrics.ts';
import { createReplayingTools } from './replaying-tools.ts';
import { readCaseDocument, readReplayOf } from './store.ts';

interface ReplayDeps {
  db: Queryable;
  config: Config;
  masking: Masking;
  observer: Observer;
  logger: Logger;
}

/** The parts of a run that a replay takes from its case instead of from outside. */
export interface OpenReplay {
  id: string;
  /** The time of the recording. */
  now: Date;
  /** Causes from which the model chooses after the report; empty if the case has none. */
  causes: readonly string[];
  /** The choice that an earlier attempt stored; `null` if there is none. */
  cause: string | null;
  runbook: { runbook: string | null; runbookProblem: null };
  session: Pick<AlertSessionRow, 'mcpSelection'> & { runbookUrl: null };
  services: {
    config: Config;
    observer: Observer;
    connectTools(selection: McpSelection, signal: AbortSignal, logger: Logger): Promise<ToolExecutor>;
  };
}

/**
 * Opens the replay to which a session belongs; `null` if the session is no replay. The replay's services replace those
 * of the process, so that nothing that runs with them can reach an MCP server.
 */
export async function openReplay(
  deps: ReplayDeps,
  session: Pick<AlertSessionRow, 'id'> & { isReplay?: boolean },
): Promise<OpenReplay | null> {
  if (session.isReplay === false) return null;
  const replay = await readReplayOf(deps.db, session.id);
  if (replay === null) return null;
  const document = await readCaseDocument(deps.db, replay.caseId);
  if (document === null) throw new Error(`The case of the replay ${replay.id} does not exist any more.`);
  const { db, masking } = deps;
  const config = worldConfig(replayConfig(deps.config, replay.llmProvider ?? null), document);
  return {
    id: replay.id,
    now: new Date(document.recorded_at),
    causes: document.expect.causes,
    cause: replay.cause ?? null,
    runbook: { runbook: document.runbook ?? null, runbookProblem: null },
    session: { mcpSelection: selectionOf(document), runbookUrl: null },
    services: {
      config,
      observer: withoutMetrics(deps.observer),
      connectTools: (selection, _signal, logger) =>
        createReplayingTools({ db, sessionId: session.id, config, masking, document, logger }, selection),
    },
  };
}

/** Returns the configuration in which the servers of a closed world replace those of the agents. */
function worldConfig(config: Config, { world, mcp_selection }: CaseDocument): Config {
  if (world === 'open' || mcp_selection === undefined) return config;
  return { ...config, system: { ...config.system, mcpSelection: 'replace' } };
}

function selectionOf({ mcp_selection }: CaseDocument): AlertSessionRow['mcpSelection'] {
  return mcp_selection ? { servers: mcp_selection.servers, nativeTools: null } : null;
}
