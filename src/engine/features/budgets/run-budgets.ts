import type { Config } from '../../../config/types.ts';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { LlmChunk } from '../../model/chunks.ts';
import type { LlmClient } from '../../model/client.ts';
import type { CountedBudget } from '../../store/stages-and-executions.ts';
import { readStandings, type Standing, targetsOf } from './budgets.ts';

/** The budgets that hold for a session's run. */
export interface RunBudgets {
  /** How they stand, as all processes have written by now. */
  read(): Promise<Standing[]>;
  /** Whether this is yet to be told, here and by earlier runs of the session. Counts as told from then on. */
  isFirst(executionId: string | null, budget: string, what: string): boolean;
}

const OF_SOURCE = `select coalesce((select g.source from alert_groups g where g.id = $2),
  (select min(g.source) from alert_groups g where g.session_id = $1)) as source`;

const TOLD = `select execution_id as "executionId", metadata->>'budget' as budget,
    coalesce(metadata->>'degradation', 'WARNING') as what
  from timeline_events where session_id = $1 and type = 'BUDGET_REACHED'`;

/** Opens the budgets of a session; null when none holds. The client's calls count in them then. */
export async function openBudgets(
  deps: { db: Queryable; config: Pick<Config, 'budgets'>; client: LlmClient },
  session: Pick<AlertSessionRow, 'id' | 'alertType' | 'team' | 'groupId'>,
): Promise<{ budgets: RunBudgets | null; client: LlmClient }> {
  const { db, config, client } = deps;
  if (Object.keys(config.budgets).length === 0) return { budgets: null, client };
  const { id, alertType, team = null, groupId = null } = session;
  const found = await db.query<{ source: string | null }>(OF_SOURCE, [id, groupId]);
  const targets = targetsOf(config.budgets, { alertType, team, source: found.rows[0]!.source });
  if (targets.length === 0) return { budgets: null, client };
  const { rows } = await db.query<{ executionId: string | null; budget: string; what: string }>(TOLD, [id]);
  const told = new Set(rows.map(({ executionId, budget, what }) => placed(executionId, budget, what)));
  const counted = targets.flatMap(({ budget: { name, per }, key }) =>
    per === null ? [] : [{ name, key, per }],
  );
  return {
    client: counted.length === 0 ? client : countingClient(client, counted),
    budgets: {
      read: () => readStandings(db, targets, id),
      isFirst(executionId, budget, what) {
        const place = placed(executionId, budget, what);
        if (told.has(place)) return false;
        told.add(place);
        return true;
      },
    },
  };
}

/** A warning is told once for a session, what is done to an agent once for each. */
function placed(executionId: string | null, budget: string, what: string): string {
  return JSON.stringify([what === 'WARNING' ? null : executionId, budget, what]);
}

/** The client, telling with the tokens of each call in which budgets it counts. */
function countingClient(client: LlmClient, budgets: readonly CountedBudget[]): LlmClient {
  return {
    ...client,
    async *generate(...call): AsyncGenerator<LlmChunk> {
      for await (const chunk of client.generate(...call))
        yield chunk.kind === 'usage' ? { ...chunk, budgets } : chunk;
    },
  };
}
