import type { Logger } from 'pino';
import { isVisible, type Visibility } from '../access/visibility.ts';
import { type Actor, recordAudit } from '../audit.ts';
import { NotFoundError } from '../common/errors.ts';
import { runPeriodically } from '../common/periodic.ts';
import { chainForAlertType } from '../config/resolve.ts';
import type { Config, ScheduleConfig } from '../config/types.ts';
import type { ScheduleCause } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import type { SessionSnapshot } from '../engine/api/engine.ts';
import type { Submissions } from '../engine/sessions/submit.ts';
import { recordRun } from '../engine/store/schedule-runs.ts';
import { insertSession } from '../engine/store/sessions.ts';
import { WARNING_CATEGORIES, type Warnings } from '../warnings.ts';
import { readLastRuns, readStates, type ScheduleState } from './store.ts';
import { cronBasis, latestTime, nextTime, startOf } from './times.ts';

/** Interval between checks for schedules that are due (ms). */
const CHECK_MS = 5_000;

/** A schedule with its last and next run. */
export interface ScheduleView extends ScheduleConfig {
  /** `null` if the schedule never ran, or if the session was deleted. */
  lastSessionId: string | null;
  /** `null` without `cron`, and while the schedule is off. */
  nextRunAt: Date | null;
}

/** Investigations that start by themselves. */
export interface Schedules {
  /** Returns the visible schedules in the order of the configuration. */
  list(sight: Visibility): Promise<ScheduleView[]>;
  /** Starts a run now. @throws NotFoundError, TooManyAlertsError, ShuttingDownError */
  run(name: string, by: Actor & { teams: Visibility }): Promise<SessionSnapshot>;
  /** Starts runs when they are due. */
  start(): { stop(): Promise<void> };
}

interface ScheduleDeps {
  config: Config;
  db: Queryable;
  transaction: Transaction;
  submissions: Submissions;
  warnings: Warnings;
  logger: Logger;
}

interface Due {
  cause: ScheduleCause;
  basis: string;
  dueAt: Date;
}

export function createSchedules(deps: ScheduleDeps): Schedules {
  const { config, db, transaction, submissions, warnings, logger } = deps;
  const all = Object.values(config.schedules);
  const enabled = all.filter((schedule) => schedule.enabled);
  const teamOf = ({ team, alertType }: ScheduleConfig): string | null =>
    team ?? chainForAlertType(config, alertType)?.chain.team ?? null;
  /** Schedules by whether their last round failed. One without a round may have the warning of an earlier process. */
  const failed = new Map<string, boolean>();

  /** Stores the session of a run, unless another process did. */
  async function start(
    schedule: ScheduleConfig,
    due: Due,
    by: Actor | null,
  ): Promise<SessionSnapshot | null> {
    const { name, text, alertType } = schedule;
    const given = { data: text, alertType, team: teamOf(schedule) };
    const session = await submissions.prepare(given, by?.name ?? `schedule:${name}`);
    const stored = await transaction(async (tx) => {
      if (!(await recordRun(tx, { ...due, schedule: name, sessionId: session.id }))) return null;
      const target = { type: 'Session', id: session.id };
      if (by !== null)
        await recordAudit(tx, by, { action: 'schedule.run', target, detail: { schedule: name } });
      return insertSession(tx, session);
    });
    if (stored !== null) {
      submissions.stored(stored);
      logger.info({ schedule: name, cause: due.cause, sessionId: stored.id }, 'scheduled run started');
    }
    return stored;
  }

  async function startDue(schedule: ScheduleConfig, state: ScheduleState, now: Date): Promise<void> {
    let { isActive } = state;
    for (const { since, due } of dueRuns(schedule, state, now)) {
      if (since !== null) await recordRun(db, { ...since, schedule: schedule.name, sessionId: null });
      if (due === null || isActive) continue;
      await start(schedule, due, null);
      isActive = true; // also if another process started it
    }
  }

  async function round(): Promise<void> {
    const states = await readStates(db, enabled);
    const now = new Date();
    for (const schedule of enabled) {
      const key = schedule.name;
      try {
        await startDue(schedule, states.get(key)!, now);
        if (failed.get(key) !== false) await warnings.clear(WARNING_CATEGORIES.schedules, key);
        failed.set(key, false);
      } catch (error) {
        logger.warn({ err: error, schedule: key }, 'scheduled run not started, trying again');
        if (failed.get(key)) continue;
        failed.set(key, true);
        const message = `The schedule ${key} cannot start its run. TARSy tries again every ${CHECK_MS / 1000} s.`;
        const details = error instanceof Error ? error.message : null;
        await warnings.raise({ category: WARNING_CATEGORIES.schedules, key, message, details });
      }
    }
  }

  return {
    async list(sight) {
      const visible = all.filter((schedule) => isVisible(sight, teamOf(schedule)));
      const last = await readLastRuns(db, visible);
      const now = new Date();
      return visible.map((schedule) => ({
        ...schedule,
        lastSessionId: last.get(schedule.name) ?? null,
        nextRunAt: schedule.enabled ? nextTime(schedule, now) : null,
      }));
    },
    async run(name, by) {
      const schedule = all.find((one) => one.name === name);
      if (schedule === undefined || !isVisible(by.teams, teamOf(schedule)))
        throw new NotFoundError('There is no schedule with this name.');
      submissions.count({ kind: 'viewer', name: by.name });
      return (await start(schedule, { cause: 'HAND', basis: by.name, dueAt: new Date() }, by))!;
    },
    start() {
      if (enabled.length === 0) return { stop: async () => {} };
      return runPeriodically(round, { task: 'start scheduled runs', everyMs: CHECK_MS, logger });
    },
  };
}

/**
 * Returns for each cause the run that is due, and the time from which a new or changed schedule counts. If several
 * times were missed, only the latest runs.
 */
function dueRuns(
  schedule: ScheduleConfig,
  { cronAt, afterAt, receivedAt }: ScheduleState,
  now: Date,
): { since: Due | null; due: Due | null }[] {
  const time = latestTime(schedule, now);
  const cron = (dueAt: Date): Due => ({ cause: 'CRON', basis: cronBasis(schedule), dueAt });
  const after = (dueAt: Date): Due => ({ cause: 'AFTER', basis: schedule.after!, dueAt });
  const isDue = time !== null && cronAt !== null && time > cronAt && startOf(schedule, time) <= now;
  const isNews = receivedAt !== null && afterAt !== null && receivedAt > afterAt;
  return [
    ...(schedule.cron === null
      ? []
      : [{ since: cronAt === null ? cron(time ?? now) : null, due: isDue ? cron(time) : null }]),
    ...(schedule.after === null
      ? []
      : [
          {
            since: afterAt === null ? after(receivedAt ?? now) : null,
            due: isNews ? after(receivedAt) : null,
          },
        ]),
  ];
}
