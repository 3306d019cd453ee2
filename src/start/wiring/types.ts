import type pg from 'pg';
import type { Logger } from 'pino';
import type { Environment, EnvironmentRecord } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import type { PoolTarget } from '../../db/pool.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Observer } from '../../engine/api/observer.ts';
import type { Skills } from '../../engine/features/skills/skills.ts';
import type { NotifySlack } from '../../engine/features/slack/posts.ts';
import type { Bus } from '../../engine/live/bus.ts';
import type { CarrierTiming, NatsCarrier } from '../../engine/live/nats-carrier.ts';
import type { Publisher } from '../../engine/live/publisher.ts';
import type { createDispatch, createOfferSlot } from '../../jobs/dispatch.ts';
import type { enqueueAnswer, enqueueLearning, enqueueScore } from '../../jobs/tasks/row-tasks.ts';
import type { Masking } from '../../masking/masking.ts';
import type { Network } from '../../runbooks/network.ts';
import type { Runbooks } from '../../runbooks/runbooks.ts';
import type { Telemetry } from '../../telemetry/open.ts';
import type { Warnings } from '../../warnings.ts';

export type Role = 'all' | 'api' | 'worker';

export interface AppOptions {
  role: Role;
  config: Config;
  environment: Environment;
  /** Environment variables that the configuration refers to, such as tokens of other services. */
  env: EnvironmentRecord;
  /** URL of PostgreSQL itself. */
  databaseUrl: string;
  /** host:port of the LLM service; `null` only for an API. */
  llmAddress: string | null;
  version: string;
  logger: Logger;
  /** For tests. */
  network?: Network;
  /** For tests. */
  slackApiUrl?: string;
  /** For tests. */
  natsTiming?: CarrierTiming;
}

export type Release = () => Promise<unknown>;

/** Registers a function that stops a part. `stopParts` runs these functions in reverse order. */
export type OnStop = (release: Release) => void;

/** Shared dependencies of all parts. */
export interface Core {
  db: Queryable;
  /** Where further pools connect. */
  database: PoolTarget;
  publisher: Publisher;
  pool: pg.Pool;
  bus: Bus;
  /** Carries notices over NATS; `null` unless configured. */
  carrier: NatsCarrier | null;
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
