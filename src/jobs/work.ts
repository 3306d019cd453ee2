import type pg from 'pg';
import { openPool, type PoolTarget } from '../db/pool.ts';
import { type LearnDeps, learn } from '../engine/features/memory/extract.ts';
import type { Bus } from '../engine/live/bus.ts';
import { applyRetention } from '../engine/sessions/retention.ts';
import { answerJob } from '../engine/worker/answer-job.ts';
import { investigationJob } from '../engine/worker/investigation-job.ts';
import { createLeaseHolder, type JobDeps } from '../engine/worker/lease-holder.ts';
import { scoreJob } from '../engine/worker/score-job.ts';
import { applyRetentionTask, crontab } from './crontab.ts';
import { startPartitioning } from './partitions.ts';
import { removeFailedJobs } from './queue-pool.ts';
import { startRecovery } from './recovery.ts';
import { startResuming } from './resume-parked.ts';
import { type JobRunner, type JobRunnerDeps, startJobRunner } from './runner.ts';
import { enqueueAnswer, enqueueScore, rowTask } from './tasks/row-tasks.ts';

/** Connection pool for lease renewals only, so that no other query delays them. */
const HEARTBEAT_POOL = { max: 2, statementTimeoutMs: 4_000 };

export interface WorkDeps extends Omit<JobDeps & LearnDeps, 'heartbeats' | 'enqueueAnswer' | 'enqueueScore'> {
  /** URL of PostgreSQL itself. */
  databaseUrl: string;
  /** Where the lease renewals go. */
  database: PoolTarget;
  application: string;
  queue: pg.Pool;
  bus: Bus;
}

export interface Work {
  jobs: JobRunner;
  readonly activeSessions: number;
}

type Running = Pick<JobRunner, 'stop'>;

/**
 * Starts the job runners for sessions, questions, scores, learning and retention, and the recovery of lost work.
 * @param onStop gets functions that stop fetching jobs and requeue claimed work, even if a later part fails to start
 */
export async function startWork(
  deps: WorkDeps,
  onStop: (release: () => Promise<unknown>) => void,
): Promise<Work> {
  const { db, config, database, application, queue, logger } = deps;
  const heartbeats = openPool(database, { ...HEARTBEAT_POOL, application, logger });
  onStop(() => heartbeats.end());
  const { conclusionReserveMs: reserveMs } = config.defaults.timeouts;
  const hold = () => createLeaseHolder({ ...deps, limits: config.queue, reserveMs });
  const [sessions, chats, scores] = [hold(), hold(), hold()];
  // Stopped all at once: a holder requeues the jobs that its runner still fetches.
  const running: Running[] = [sessions, chats, scores];
  onStop(() => Promise.all(running.map((each) => each.stop())));
  const keep = <T extends Running>(part: T): T => {
    running.push(part);
    return part;
  };
  const all = { ...deps, heartbeats, enqueueAnswer, enqueueScore };
  const { sessionRetentionDays: retentionDays, graceDays } = config.system.retention;
  const retention = new AbortController();
  const retentionDeps = { db, retentionDays, graceDays, signal: retention.signal, logger };
  const start = async (runner: Pick<JobRunnerDeps, 'tasks' | 'concurrency' | 'crontab' | 'isWoken'>) =>
    keep(await startJobRunner({ pool: queue, logger, ...runner }));
  const jobs = await start({
    tasks: [rowTask('run-session', (id) => sessions.run(investigationJob(all, id)))],
    concurrency: config.queue.workerConcurrency,
  });
  // Separate runners, so that questions do not wait for investigations of an hour, nor other work for questions.
  await start({
    tasks: [rowTask('answer-chat', (stageId) => chats.run(answerJob(all, stageId)))],
    isWoken: true,
    concurrency: config.queue.chatConcurrency,
  });
  await start({
    tasks: [rowTask('score-session', (scoreId) => scores.run(scoreJob(all, scoreId)))],
    isWoken: true,
    concurrency: config.queue.scoringConcurrency,
  });
  await start({
    tasks: [rowTask('learn', (sessionId, last) => learn(all, sessionId, last))],
    isWoken: true,
    concurrency: 1,
  });
  onStop(async () => retention.abort());
  await start({
    tasks: [
      applyRetentionTask(async () => {
        await applyRetention(retentionDeps);
        await removeFailedJobs(queue, logger);
      }),
    ],
    isWoken: true,
    concurrency: 1,
    crontab: crontab(config.system.retention),
  });
  keep(startRecovery({ ...all, ...config.queue }));
  keep(startResuming(all));
  keep(startPartitioning(deps));
  return {
    jobs,
    get activeSessions() {
      return sessions.active;
    },
  };
}
