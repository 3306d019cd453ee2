import { createHash } from 'node:crypto';
import { validate } from 'uuid';
import { type Actor, recordAudit } from '../../audit.ts';
import { sorted } from '../../cases/document.ts';
import { NotFoundError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { replayConfig } from '../../config/replay-config.ts';
import { chainAgents, chainForAlertType } from '../../config/resolve.ts';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { CaseRow, ReplayRow } from '../../db/entities/index.ts';
import { headlineOf } from '../alert/headline.ts';
import type { ReplayCaseInput, ReplaySuite } from '../api/cases.ts';
import { insertReplay, readCaseDocument } from '../features/cases/store.ts';
import { readRows } from '../live/event-log.ts';
import { insertSession } from '../store/sessions.ts';
import type { Admission } from './admission.ts';
import type { CaseDeps } from './cases.ts';

/** Largest number of replays that one request starts. */
const MAX_RUNS = 20;

/** Largest number of replays in a suite. */
const MAX_SUITE = 10_000;

interface ReplayDeps extends CaseDeps {
  admission: Admission;
  offerSlot: () => Promise<void>;
  isShuttingDown: () => boolean;
}

/**
 * Implements `Engine.replayCase`. The row of each session selects no MCP server, so that even a process of an older
 * version, which does not know replays, reaches none.
 */
export async function replayCase(
  deps: ReplayDeps,
  { caseId, llmProvider, runs, suite }: ReplayCaseInput,
  by: Actor,
): Promise<ReplayRow[]> {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  if (!Number.isInteger(runs) || runs < 1 || runs > MAX_RUNS)
    throw new ValidationError(`Between 1 and ${MAX_RUNS} runs can be started at once.`, 'runs');
  if (suite !== null) checkSuite(suite);
  const [row] = await readRows<CaseRow>(
    deps.db,
    `select to_jsonb(c) - 'document' as row from cases c where id = $1`,
    [caseId],
  );
  const document = row ? await readCaseDocument(deps.db, caseId) : null;
  if (row === undefined || document === null) throw new NotFoundError(`There is no case ${caseId}.`);
  const measured = measuredConfig(deps.config, document.alert_type, llmProvider);
  const { id: suiteId, size: suiteSize } = suite ?? { id: uuidv7(), size: runs };
  await deps.admission.requireRoom(runs);
  const replays = await deps.transaction(async (tx) => {
    // Locked, so that the case is not deleted meanwhile.
    await tx.query('select 1 from cases where id = $1 for share', [caseId]);
    const added: ReplayRow[] = [];
    for (let run = 0; run < runs; run += 1) {
      const sessionId = uuidv7();
      await insertSession(tx, {
        id: sessionId,
        alertType: document.alert_type,
        alertData: document.alert,
        headline: headlineOf(document.alert),
        chainId: measured.chain.id,
        author: by.name,
        team: row.team ?? null,
        runbookUrl: null,
        mcpSelection: { servers: [], nativeTools: null },
        slackMessageFingerprint: null,
      });
      const { provider, model, configHash } = measured;
      const ids = { id: uuidv7(), caseId, sessionId, suiteId, suiteSize };
      added.push(
        await insertReplay(tx, { ...ids, llmProvider, provider, model, configHash, createdBy: by.name }),
      );
    }
    await recordAudit(tx, by, {
      action: 'case.replay',
      target: { type: 'Case', id: caseId },
      detail: { runs, provider: measured.provider },
    });
    return added;
  });
  deps.offerSlot().catch((error: unknown) => {
    deps.logger.warn({ err: error, caseId }, 'slot not offered, the next recovery offers it');
  });
  return replays;
}

/** @throws ValidationError */
function checkSuite({ id, size }: ReplaySuite): void {
  if (!validate(id)) throw new ValidationError('The id of a suite must be a UUID.', 'suite.id');
  if (!Number.isInteger(size) || size < 1 || size > MAX_SUITE)
    throw new ValidationError(`A suite has between 1 and ${MAX_SUITE} replays.`, 'suite.size');
}

interface Measured {
  chain: ChainConfig;
  provider: string;
  model: string;
  configHash: string;
}

/** Returns what a replay measures: the chain of the alert type, its first model, and a hash of their settings. */
function measuredConfig(config: Config, alertType: string, llmProvider: string | null): Measured {
  if (llmProvider !== null && !Object.hasOwn(config.llmProviders, llmProvider)) {
    const names = Object.keys(config.llmProviders).join(', ');
    throw new ValidationError(
      `No LLM provider is named "${llmProvider}". Providers: ${names}.`,
      'llmProvider',
    );
  }
  const applied = replayConfig(config, llmProvider);
  const chain = chainForAlertType(applied, alertType)?.chain;
  if (chain === undefined)
    throw new ValidationError(
      `No chain handles the alert type "${alertType}" of the case. Add it to the alert_types of a chain.`,
      'caseId',
    );
  const [first] = chainAgents(applied, chain);
  const { agents, defaults, llmProviders, mcpServers } = applied;
  const instructions = Object.entries(mcpServers).map(([name, server]) => [name, server.instructions]);
  const settings = JSON.stringify(sorted({ agents, chain, defaults, llmProviders, instructions }));
  return {
    chain,
    provider: first!.providerName,
    model: first!.provider.model,
    configHash: createHash('sha256').update(settings).digest('hex'),
  };
}
