import type { Config } from '../../../config/types.ts';
import type { AlertSessionRow } from '../../../db/entities/index.ts';
import type { Queryable } from '../../../db/queryable.ts';
import type { LlmChunk } from '../../model/chunks.ts';
import type { LlmClient } from '../../model/client.ts';
import type { CountedBudget } from '../../store/stages-and-executions.ts';
import { type BudgetStatus, matchingBudgets, readBudgetStatus, readSubject } from './budgets.ts';

export interface RunBudgets {
  /** Reads how much of the session's budgets all processes have used so far. */
  read(): Promise<BudgetStatus[]>;
  /** Marks a warning or degradation as reported. Returns `false` if this run or an earlier one has reported it. */
  markReported(executionId: string | null, budget: string, what: string): boolean;
}

const REPORTED = `select execution_id as "executionId", metadata->>'budget' as budget,
    coalesce(metadata->>'degradation', 'WARNING') as what
  from timeline_events where session_id = $1 and type = 'BUDGET_REACHED'`;

/** Returns a session's budgets, `null` if none applies, and a client that charges its calls to them. */
export async function openBudgets(
  deps: { db: Queryable; config: Pick<Config, 'budgets'>; client: LlmClient },
  session: Pick<AlertSessionRow, 'id'>,
): Promise<{ budgets: RunBudgets | null; client: LlmClient }> {
  const { db, config, client } = deps;
  if (Object.keys(config.budgets).length === 0) return { budgets: null, client };
  const { id } = session;
  const subject = await readSubject(db, id);
  const targets = subject === null ? [] : matchingBudgets(config.budgets, subject);
  if (targets.length === 0) return { budgets: null, client };
  const { rows } = await db.query<{ executionId: string | null; budget: string; what: string }>(REPORTED, [
    id,
  ]);
  const reported = new Set(rows.map(({ executionId, budget, what }) => reportKey(executionId, budget, what)));
  const counted = targets.flatMap(({ budget: { name, per }, key }) =>
    per === null ? [] : [{ name, key, per }],
  );
  return {
    client: chargingClient(client, counted),
    budgets: {
      read: () => readBudgetStatus(db, targets, id),
      markReported(executionId, budget, what) {
        const key = reportKey(executionId, budget, what);
        if (reported.has(key)) return false;
        reported.add(key);
        return true;
      },
    },
  };
}

/** Returns the key of a report. A warning is reported once per session, a degradation once per agent. */
function reportKey(executionId: string | null, budget: string, what: string): string {
  return JSON.stringify([what === 'WARNING' ? null : executionId, budget, what]);
}

/**
 * Wraps a client so that the usage of each call names `budgets`. Storing a call charges the budgets that it
 * names.
 */
function chargingClient(client: LlmClient, budgets: readonly CountedBudget[]): LlmClient {
  return {
    ...client,
    async *generate(...call): AsyncGenerator<LlmChunk> {
      for await (const chunk of client.generate(...call))
        yield chunk.kind === 'usage' ? { ...chunk, budgets } : chunk;
    },
  };
}
