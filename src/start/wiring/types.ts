import type pg from 'pg';
import type { Logger } from 'pino';
import type { Environment, EnvironmentRecord } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Observer } from '../../engine/api/observer.ts';
import type { Skills } from '../../engine/features/skills/skills.ts';
import type { NotifySlack } from '../../engine/features/slack/posts.ts';
import type { Announcer } from '../../engine/live/announcer.ts';
import type { Bus } from '../../engine/live/bus.ts';
import type { createDispatch, createOfferSlot } from '../../jobs/dispatch.ts';
import type { enqueueAnswer } from '../../jobs/tasks/answer-chat.ts';
import type { enqueueLearning } from '../../jobs/tasks/learn.ts';
import type { enqueueScore } from '../../jobs/tasks/score-session.ts';
import type { Masking } from '../../masking/masking.ts';
import type { Network } from '../../runbooks/network.ts';
import type { Runbooks } from '../../runbooks/runbooks.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import type { Warnings } from '../../warnings.ts';

/** Which parts a process runs: both, the API and dashboard alone, or investigations alone. */
export type Role = 'all' | 'api' | 'worker';

export interface AppOptions {
  role: Role;
  config: Config;
  environment: Environment;
  /** The variables that the configuration names: tokens of other services. */
  env: EnvironmentRecord;
  databaseUrl: string;
  /** host:port of the LLM service; needed by workers. */
  llmAddress: string | null;
  version: string;
  logger: Logger;
  /** In the place of the way to other machines; for tests. */
  network?: Network;
  /** In the place of Slack's API; for tests. */
  slackApiUrl?: string;
}

/** Hands in what ends a part; last started, first ended. */
export type OnStop = (release: () => Promise<unknown>) => void;

/** What every part is built with. */
export interface Core {
  db: Queryable;
  announcer: Announcer;
  pool: pg.Pool;
  bus: Bus;
  transaction: Transaction;
  dispatch: ReturnType<typeof createDispatch>;
  offerSlot: ReturnType<typeof createOfferSlot>;
  notifySlack: NotifySlack | null;
  enqueueAnswer: typeof enqueueAnswer;
  enqueueLearning: typeof enqueueLearning;
  enqueueScore: typeof enqueueScore;
  config: Config;
  masking: Masking;
  warnings: Warnings;
  runbooks: Runbooks;
  skills: Skills;
  observer: Observer;
  telemetry: Telemetry;
  logger: Logger;
}
