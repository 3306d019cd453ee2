import type { Logger } from 'pino';
import { submitterOf, type Tokens } from '../../access/tokens.ts';
import { runPeriodically } from '../../common/periodic.ts';
import { openPool } from '../../db/pool.ts';
import { type Publisher, withPublishing } from '../../engine/live/publisher.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { createIntake, type Intake, type IntakeDeps } from '../../intake/index.ts';
import { deleteOldIntakeRows } from '../../intake/retention.ts';
import { dispatchDue } from '../../jobs/dispatch.ts';
import type { OnStop } from './types.ts';

/** Deliveries stored at the same time, each in a transaction of its own. */
const POOL_SIZE = 5;

/** Milliseconds between polls for groups whose silence has ended. */
const TEND_MS = 5_000;

/** Milliseconds between polls for sessions whose wait for more alerts has ended: their maximum delay. */
const DUE_MS = 1_000;

/** Milliseconds between clean-ups of old alerts. */
const CLEAN_UP_MS = 3_600_000;

/** Starts the intake on its own connections, so that it neither delays other parts nor waits for them. */
export function startIntake(
  deps: Omit<IntakeDeps, 'db' | 'transaction' | 'submitterOf'> & {
    tokens: Tokens;
    publisher: Publisher;
    databaseUrl: string;
    telemetry: { addCanaries(read: Intake['canaries']['states']): void };
    logger: Logger;
  },
  onStop: OnStop,
): Intake {
  const { databaseUrl, logger } = deps;
  const pool = openPool(databaseUrl, { max: POOL_SIZE, application: 'tarsy-api-intake', logger });
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
  const tending = runPeriodically(intake.runUpkeep, {
    task: 'Upkeep of alert groups',
    everyMs: TEND_MS,
    logger,
  });
  onStop(() => tending.stop());
  const due = runPeriodically(() => dispatchDue({ db: pool, transaction, dispatch: deps.dispatch }), {
    task: 'Dispatching sessions that are due',
    everyMs: DUE_MS,
    logger,
  });
  onStop(() => due.stop());
  const { sessionRetentionDays, graceDays } = deps.config.system.retention;
  const cleanUp = async () => void (await deleteOldIntakeRows(pool, sessionRetentionDays + graceDays));
  const cleaning = runPeriodically(cleanUp, { task: 'Removing old alerts', everyMs: CLEAN_UP_MS, logger });
  onStop(() => cleaning.stop());
  return intake;
}
