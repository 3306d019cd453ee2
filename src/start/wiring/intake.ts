import type { Logger } from 'pino';
import { submitterOf, type Tokens } from '../../access/tokens.ts';
import { runPeriodically } from '../../common/periodic.ts';
import { openPool, type PoolTarget } from '../../db/pool.ts';
import { type Publisher, withPublishing } from '../../engine/live/publisher.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { createIntake, type Intake, type IntakeDeps } from '../../intake/index.ts';
import { deleteOldIntakeRows } from '../../intake/retention.ts';
import { dispatchDue } from '../../jobs/dispatch.ts';
import type { OnStop } from './types.ts';

/** Maximum number of deliveries stored at the same time, each in its own transaction. */
const POOL_SIZE = 5;

/** Interval between upkeep rounds for alert groups, such as those whose silence has ended (ms). */
const TEND_MS = 5_000;

/** Interval between polls for sessions whose wait for more alerts has ended (ms). */
const DUE_MS = 1_000;

const CLEAN_UP_MS = 3_600_000;

/** Starts the intake on its own connections, so that it neither delays other parts nor waits for them. */
export function startIntake(
  deps: Omit<IntakeDeps, 'db' | 'transaction' | 'submitterOf'> & {
    tokens: Tokens;
    publisher: Publisher;
    database: PoolTarget;
    telemetry: { addCanaries(read: Intake['canaries']['states']): void };
    logger: Logger;
  },
  onStop: OnStop,
): Intake {
  const { database, logger } = deps;
  const pool = openPool(database, { max: POOL_SIZE, application: 'tarsy-api-intake', logger });
  onStop(() => pool.end());
  const transaction = createTransaction(pool, deps.publisher);
  const intake = createIntake({
    ...deps,
    submitterOf: (token) => submitterOf(deps.tokens, token),
    db: withPublishing(pool, deps.publisher),
    transaction,
  });
  onStop(() => intake.close());
  deps.telemetry.addCanaries(intake.canaries.states);
  const repeat = (task: string, everyMs: number, round: () => Promise<void>) =>
    onStop(runPeriodically(round, { task, everyMs, logger }).stop);
  repeat('maintain alert groups', TEND_MS, intake.runUpkeep);
  repeat('dispatch due sessions', DUE_MS, () =>
    dispatchDue({ db: pool, transaction, dispatch: deps.dispatch }),
  );
  const { sessionRetentionDays, graceDays } = deps.config.system.retention;
  repeat('remove old alerts', CLEAN_UP_MS, async () => {
    await deleteOldIntakeRows(pool, sessionRetentionDays + graceDays);
  });
  return intake;
}
