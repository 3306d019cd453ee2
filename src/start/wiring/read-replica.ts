import { openPool, replicaTarget } from '../../db/pool.ts';
import { createReadReplica, type ReadReplica, type ReplicaStatus } from '../../db/read-replica.ts';
import { openReplicaPools, type ReplicaPools } from '../../db/replica-pools.ts';
import { WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import type { AppOptions, Core, OnStop } from './types.ts';

/** Time limit of one statement of a check (ms). */
const CHECK_LIMIT_MS = 1_000;

/** Time (ms) after which an unused replica becomes a system warning. */
const WARNING_AFTER_MS = 30_000;

/** Opens the read replica of the API; `null` if the environment names none. Never fails because of the replica. */
export function startReadReplica(
  { environment }: Pick<AppOptions, 'environment'>,
  { database, warnings, telemetry, logger }: Pick<Core, 'database' | 'warnings' | 'telemetry' | 'logger'>,
  onStop: OnStop,
): (ReadReplica & { pools: ReplicaPools }) | null {
  const target = replicaTarget(environment);
  if (target === null) {
    void warnings.clear(WARNING_CATEGORIES.readReplica); // of an environment with a replica
    return null;
  }
  const [primary, replica] = [database, target].map((of) =>
    openPool(of, {
      ...{ max: 1, application: 'tarsy-replica-check', logger },
      ...{ statementTimeoutMs: CHECK_LIMIT_MS, silenceGraceMs: 0 },
    }),
  ) as [ReturnType<typeof openPool>, ReturnType<typeof openPool>];
  const pools = openReplicaPools(target, logger);
  onStop(() => Promise.all([primary, replica, pools.reads, pools.searches].map((pool) => pool.end())));
  const warn = warnWhenUnused(warnings);
  const onCheck = (status: ReplicaStatus) => void warn(status); // never rejects
  const { databaseReadWaitMs: waitMs } = environment;
  const found = createReadReplica({ primary, replica, pools, waitMs, onCheck, logger });
  onStop(() => found.close());
  telemetry.addReadReplica(() => found.status);
  return Object.assign(found, { pools });
}

/**
 * Returns a function that raises a system warning once the replica is unused for WARNING_AFTER_MS, and clears it.
 * @param now monotonic clock (ms), for tests
 */
export function warnWhenUnused(
  { raise, clear }: Warnings,
  now = () => performance.now(),
): (status: Pick<ReplicaStatus, 'serves' | 'problem'>) => Promise<void> {
  const category = WARNING_CATEGORIES.readReplica;
  let usedAt = now();
  let shown: string | null | undefined; // undefined at the start, because an earlier process may have raised one
  return async ({ serves, problem }) => {
    if (serves) usedAt = now();
    const due = serves || now() - usedAt < WARNING_AFTER_MS ? null : problem;
    if (due === shown || (due === null && !serves)) return;
    shown = due;
    if (due === null) return clear(category);
    await raise({
      category,
      message: 'Reads of the API use the primary database, because the read replica is not used.',
      details: `DATABASE_READ_URL: ${due}.`,
    });
  };
}
