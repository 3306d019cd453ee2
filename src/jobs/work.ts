import type pg from 'pg';
import { openPool } from '../db/pool.ts';
import type { Bus } from '../engine/events/bus.ts';
import { type AnswerDeps, answer } from '../engine/run/answer.ts';
import { createHold } from '../engine/run/hold.ts';
import { type InvestigationDeps, investigation } from '../engine/run/investigation.ts';
import { createRetention } from '../engine/session/retention.ts';
import { crontab } from './crontab.ts';
import { openQueuePool } from './queue-pool.ts';
import { startRecovery } from './recovery.ts';
import { type JobRunner, startJobRunner } from './runner.ts';
import { answerChatTask, enqueueAnswer } from './tasks/answer-chat.ts';
import { applyRetentionTask } from './tasks/apply-retention.ts';
import { runSessionTask } from './tasks/run-session.ts';

/** Connections that prolong leases, and milliseconds that this may take: nothing else may hold it up. */
const HEARTBEAT_POOL = { max: 2, statementTimeoutMs: 4_000 };

type Given = 'heartbeats' | 'enqueueAnswer';

export interface WorkDeps extends Omit<InvestigationDeps & AnswerDeps, Given> {
  databaseUrl: string;
  /** The name that the server shows for our connections. */
  application: string;
  bus: Bus;
}

/** What a worker does besides looking after MCP servers and Slack. */
export interface Work {
  /** The pool of the queue, for other runners of this process. */
  queue: pg.Pool;
  jobs: JobRunner;
  readonly activeSessions: number;
  /** Takes no more work and gives back what is held. */
  stop(): Promise<void>;
  /** Ends its connections, once all runners have stopped. */
  close(): Promise<void>;
}

/** Takes sessions and questions off the queue, and looks after those whose worker is gone. */
export async function startWork(deps: WorkDeps): Promise<Work> {
  const { db, config, databaseUrl, application, logger } = deps;
  const heartbeats = openPool(databaseUrl, { ...HEARTBEAT_POOL, application, logger });
  const queue = openQueuePool(databaseUrl, { application, logger });
  const hold = () => createHold({ ...deps, limits: config.queue });
  const [sessions, chats] = [hold(), hold()];
  const all = { ...deps, heartbeats, enqueueAnswer };
  const recovery = startRecovery({ ...deps, ...config.queue, enqueueAnswer });
  const jobs = await startJobRunner({
    pool: queue,
    tasks: [runSessionTask((id) => sessions.under(investigation(all, id)))],
    concurrency: config.queue.workerConcurrency,
    logger,
  });
  // Workers of their own: a question must not wait for investigations that take an hour, nor the clean-up for questions.
  const answers = await startJobRunner({
    pool: queue,
    tasks: [answerChatTask((stageId) => chats.under(answer(all, stageId)))],
    concurrency: config.queue.chatConcurrency,
    logger,
  });
  const { sessionRetentionDays: retentionDays, graceDays } = config.system.retention;
  const retention = createRetention({ db, retentionDays, graceDays, logger });
  const cleanUp = await startJobRunner({
    pool: queue,
    tasks: [applyRetentionTask(retention.apply)],
    concurrency: 1,
    crontab: crontab(config.system.retention),
    logger,
  });
  return {
    queue,
    jobs,
    get activeSessions() {
      return sessions.active;
    },
    async stop() {
      retention.stop();
      // The queue stops fetching first, so that no job comes in while its sessions are handed over.
      const runners = [recovery, jobs, answers, cleanUp, sessions, chats];
      await Promise.all(runners.map((each) => each.stop()));
    },
    async close() {
      await Promise.all([heartbeats.end(), queue.end()]);
    },
  };
}
