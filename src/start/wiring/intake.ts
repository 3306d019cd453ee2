import type { Logger } from 'pino';
import { submitterOf, type Tokens } from '../../access/tokens.ts';
import { openPool } from '../../db/pool.ts';
import { regularly } from '../../engine/common/periodic.ts';
import { type Announcer, announcing } from '../../engine/live/announcer.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { createIntake, type Intake, type IntakeDeps } from '../../intake/index.ts';
import { deleteOldIntakeRows } from '../../intake/retention.ts';
import { dispatchDue } from '../../jobs/dispatch.ts';
import type { OnStop } from './types.ts';

/** Deliveries of monitoring systems that are stored at once: each is one transaction. */
const POOL_SIZE = 5;

/** Milliseconds between looks for groups whose silence is over. */
const TEND_MS = 5_000;

/** … for sessions whose wait for more alerts is over: how late they begin, at most. */
const DUE_MS = 1_000;

/** … and for what is old. */
const CLEAN_UP_MS = 3_600_000;

/** Starts the intake on connections of its own: what it waits for holds up nothing else, and the other way round. */
export function startIntake(
  deps: Omit<IntakeDeps, 'db' | 'transaction' | 'submitterOf'> & {
    tokens: Tokens;
    announcer: Announcer;
    databaseUrl: string;
    telemetry: { addCanaries(read: Intake['canaries']['states']): void };
    logger: Logger;
  },
  onStop: OnStop,
): Intake {
  const { databaseUrl, logger } = deps;
  const pool = openPool(databaseUrl, { max: POOL_SIZE, application: 'tarsy-api-intake', logger });
  onStop(() => pool.end());
  const transaction = createTransaction(pool, deps.announcer);
  const intake = createIntake({
    ...deps,
    submitterOf: (token) => submitterOf(deps.tokens, token),
    db: announcing(pool, deps.announcer),
    transaction,
  });
  onStop(() => intake.close());
  deps.telemetry.addCanaries(intake.canaries.states);
  const tending = regularly(intake.runUpkeep, { task: 'Upkeep of alert groups', everyMs: TEND_MS, logger });
  onStop(() => tending.stop());
  const due = regularly(() => dispatchDue({ db: pool, transaction, dispatch: deps.dispatch }), {
    task: 'Dispatching sessions that are due',
    everyMs: DUE_MS,
    logger,
  });
  onStop(() => due.stop());
  const { sessionRetentionDays, graceDays } = deps.config.system.retention;
  const cleanUp = async () => void (await deleteOldIntakeRows(pool, sessionRetentionDays + graceDays));
  const cleaning = regularly(cleanUp, { task: 'Removing old alerts', everyMs: CLEAN_UP_MS, logger });
  onStop(() => cleaning.stop());
  return intake;
}
