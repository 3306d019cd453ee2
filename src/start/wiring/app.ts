import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { runPeriodically } from '../../common/periodic.ts';
import type { Config } from '../../config/types.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { openPool, openReadPools, statementTarget } from '../../db/pool.ts';
import { replayNotifier } from '../../engine/features/notifications/replays.ts';
import { sessionNotifier } from '../../engine/features/notifications/request.ts';
import { isNotified } from '../../engine/features/notifications/rules.ts';
import { hasWriteBack, writeBackNotifier } from '../../engine/features/notifications/write-back.ts';
import { openSkills } from '../../engine/features/skills/skills.ts';
import type { NotifySlack } from '../../engine/features/slack/posts.ts';
import { openBus } from '../../engine/live/bus.ts';
import { openPublisher, withPublishing } from '../../engine/live/publisher.ts';
import { createProviderTurnCipher } from '../../engine/model/provider-turn-cipher.ts';
import { backfillHeadlines, HEADLINE_POLL_MS } from '../../engine/sessions/backfill.ts';
import { createTransaction } from '../../engine/store/database.ts';
import { INDEX_IDLE_MS, INDEX_POLL_MS, indexDueSessions } from '../../engine/store/search-index.ts';
import { requireServable } from '../../http/auth.ts';
import { createDispatch, createOfferSlot } from '../../jobs/dispatch.ts';
import { migrateQueue } from '../../jobs/queue-pool.ts';
import { requestSlackPost } from '../../jobs/tasks/notify-slack.ts';
import { enqueueAnswer, enqueueLearning, enqueueScore } from '../../jobs/tasks/row-tasks.ts';
import { installationKey } from '../../machine/installation-key.ts';
import { reportAlertMasking } from '../../masking/alert-warning.ts';
import { createMasking, type Masking } from '../../masking/masking.ts';
import { createRunbooks, type Runbooks } from '../../runbooks/runbooks.ts';
import { openTelemetry, serveMetrics } from '../../telemetry/open.ts';
import { createWarnings, type Warnings } from '../../warnings.ts';
import { createCarrier, WORKER_CHANNELS, watchCarrier } from './event-bus.ts';
import { checkOf, checksOf } from './health-checks.ts';
import { deleteOldWarnings } from './old-warnings.ts';
import type { AppOptions, Core, OnStop, Release } from './types.ts';
import type { WorkerChecks } from './worker.ts';

const DASHBOARD_DIR = resolve(import.meta.dirname, '../../../web/dist');

export interface App {
  /** URL of the API and the dashboard; `null` for a worker. */
  url: string | null;
  /** URL of the separate server for /health and /metrics; `null` if none is configured. */
  metricsUrl: string | null;
  /** Requeues running investigations and closes all parts, last started first. */
  stop(): Promise<void>;
}

/** Migrates TARSy's tables, then those of the job queue. @returns the names of the applied migrations */
export async function migrate(url: string, logger: Logger): Promise<{ applied: string[] }> {
  return migrateDatabase(url, { logger, extra: (target) => migrateQueue(target, logger) });
}

/** Refuses an API that a network could use without signing in. @throws UnauthenticatedNetworkError */
export function checkServable({
  role,
  config,
  environment,
}: Pick<AppOptions, 'role' | 'config' | 'environment'>): void {
  if (role !== 'worker') requireServable(config.auth, environment.httpHost);
}

/**
 * Builds and starts each part once, in dependency order.
 * @throws UnauthenticatedNetworkError before any part starts
 */
export async function startApp(options: AppOptions): Promise<App> {
  checkServable(options);
  const releasers: Release[] = [];
  const stop = () => stopParts(releasers, options.logger);
  try {
    return { ...(await startParts(options, (release) => releasers.push(release))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops parts, the last started first. A failure is logged, and the other parts are still stopped. */
export async function stopParts(releasers: Release[], logger: Logger): Promise<void> {
  for (const release of releasers.splice(0).reverse()) {
    await release().catch((error: unknown) => logger.error({ err: error }, 'part did not stop cleanly'));
  }
}

async function startParts(options: AppOptions, onStop: OnStop): Promise<Omit<App, 'stop'>> {
  const { role, config, databaseUrl, logger } = options;
  const database = statementTarget(options);
  const pool = openPool(database, {
    max: POOL_SIZE,
    application: `tarsy-${role}`,
    parameters: role === 'worker' ? GENERIC_PLANS : KEYED_PLANS,
    logger,
  });
  onStop(() => pool.end());
  const carrier = await createCarrier({ ...options, pool });
  onStop(async () => carrier?.close());
  const channels = role === 'worker' ? { channels: WORKER_CHANNELS } : {};
  const bus = await openBus(databaseUrl, logger, { ...channels, carrier });
  onStop(() => bus.close());
  const masking = createMasking(config, logger, (works) => void reportAlertMasking(warnings, works));
  const warnings = createWarnings({
    db: pool,
    mask: (text) => masking.maskText(config.redact(text), { groups: ['security'] }),
    logger,
  });
  const { observer, telemetry, close } = await openTelemetry({
    ...options,
    pool,
    maskContent: (text, server) =>
      masking.maskText(config.redact(server === null ? text : masking.maskArguments(server, text))),
  });
  onStop(close);
  const { maxConcurrentSessions } = config.queue;
  const { onSent } = telemetry.addEventBus(carrier && (() => carrier.problem() === null));
  const publisher = openPublisher(database, logger, { carrier, onSent });
  onStop(() => publisher.close());
  const db = withPublishing(pool, publisher);
  const transaction = createTransaction(pool, publisher);
  const dispatch = createDispatch({ maxConcurrentSessions });
  const core = {
    db,
    database,
    publisher,
    pool,
    bus,
    carrier,
    transaction,
    enqueueAnswer,
    enqueueLearning,
    enqueueScore,
    dispatch,
    offerSlot: createOfferSlot({ db, maxConcurrentSessions }),
    notifySlack: notifyOfSessions(config),
    config,
    masking,
    warnings,
    runbooks: runbooksFor(options, masking, warnings),
    skills: await openSkills(resolve(options.environment.configDir, 'skills'), config, logger),
    observer,
    telemetry,
    logger,
  };
  await deleteOldWarnings(core);
  const watch = watchCarrier(core);
  onStop(() => watch.stop());
  // Imported on demand, so that a process with only the API or only the worker starts in half the time.
  const worker =
    role === 'api' ? null : await (await import('./worker.ts')).startWorker(options, core, onStop);
  const own = await serveMetrics({ ...options, page: telemetry.page, ...checksOf(role, core, worker) });
  onStop(async () => own?.close());
  const url = role === 'worker' ? null : await startApi(options, core, worker, onStop);
  return { url, metricsUrl: own?.url ?? null };
}

/** Returns the function that queues messages about a session for Slack and other channels; `null` if none gets any. */
function notifyOfSessions(config: Config): Core['notifySlack'] {
  const { notifications, system } = config;
  const queues: NotifySlack[] = [
    ...(system.slack.enabled ? [requestSlackPost] : []),
    ...(isNotified(notifications, 'session.started') || isNotified(notifications, 'session.ended')
      ? [sessionNotifier({ config })]
      : []),
    ...(isNotified(notifications, 'replay.worse') ? [replayNotifier({ config })] : []),
    ...(hasWriteBack(notifications) ? [writeBackNotifier({ config })] : []),
  ];
  if (queues.length === 0) return null;
  return async (...about) => {
    for (const queue of queues) await queue(...about);
  };
}

const POOL_SIZE = 15;

/**
 * Settings of workers, which find rows by key: PostgreSQL plans a prepared statement once, not at each of its first
 * runs.
 */
const GENERIC_PLANS = { plan_cache_mode: 'force_generic_plan' };

/**
 * Settings of processes with an API. Plans are kept too, because planning took a quarter of the database's work per
 * delivery. Sequential scans are off, because a kept plan may have been made when the tables were small.
 */
const KEYED_PLANS = { ...GENERIC_PLANS, enable_seqscan: 'off' };

function runbooksFor(options: AppOptions, masking: Masking, warnings: Warnings): Runbooks {
  const { config, env, logger, network } = options;
  const { tokenEnv, repositories } = config.system.github;
  const token = env[tokenEnv];
  return createRunbooks({
    config: config.system.runbooks,
    githubToken: token ? { token, repositories } : null,
    hostTokens: config.system.runbooks.tokens.flatMap(({ host, tokenEnv: variable, paths }) => {
      const own = env[variable];
      return own ? [{ host, token: own, paths }] : [];
    }),
    mask: masking.maskRunbook,
    warnings,
    logger,
    ...(network ? { network } : {}),
  });
}

async function startApi(
  options: AppOptions,
  core: Core,
  worker: WorkerChecks | null,
  onStop: OnStop,
): Promise<string> {
  const { config, environment, version } = options;
  const { logger } = core;
  const { checks, onDemandChecks, otherChecks } = checksOf(options.role, core, worker);
  const [
    { signInOptions, startAccess },
    { createEngine },
    { startIntake },
    { startSlackInbox },
    { createHttpServer },
    { alertTypesOf, mcpDirectoryOf, systemModelOf },
    { readKnownDocuments },
    { createSchedules },
    { configurationView },
    { startReadReplica },
  ] = await Promise.all([
    import('./access.ts'),
    import('../../engine/create-engine.ts'),
    import('./intake.ts'),
    import('./slack-inbox.ts'),
    import('../../http/server.ts'),
    import('../../http/directory.ts'),
    import('../../http/known-documents.ts'),
    import('../../schedules/index.ts'),
    import('../../config-report/view.ts'),
    import('./read-replica.ts'),
  ]);
  const turnCipher = createProviderTurnCipher(installationKey(environment.key, environment.home, logger));
  const { reads, searches } = openReadPools(core.database, logger);
  onStop(() => Promise.all([reads.end(), searches.end()]));
  const replica = startReadReplica(options, core, onStop);
  const engine = createEngine({ ...core, replayDb: reads, turnCipher });
  onStop(async () => engine.close());
  const indexing = { task: 'create search documents', everyMs: INDEX_POLL_MS, idleMs: INDEX_IDLE_MS, logger };
  onStop(runPeriodically(() => indexDueSessions(core.pool), indexing).stop);
  const backfill = { task: 'create headlines of older alerts', everyMs: HEADLINE_POLL_MS, logger };
  onStop(runPeriodically(async () => void (await backfillHeadlines(core.pool)), backfill).stop);
  const access = startAccess(core, onStop);
  const intake = startIntake({ ...core, ...access, submissions: engine.submissions }, onStop);
  const slack = await startSlackInbox(options, { ...core, ...access, engine, intake }, onStop);
  const schedules = createSchedules({ ...core, submissions: engine.submissions });
  const http = createHttpServer({
    engine,
    intake,
    schedules,
    slack,
    pool: reads,
    searchPool: searches,
    replica,
    logger,
    version,
    auth: config.auth,
    access: config.access,
    budgets: config.budgets,
    dashboardUrl: config.system.dashboardUrl,
    ...(await signInOptions(options)),
    ...access,
    configuration: configurationView({
      ...{ ...options, dir: environment.configDir, db: reads },
      mask: (text) => core.masking.maskText(text, { groups: ['secrets', 'cloud'] }),
    }),
    alertTypes: alertTypesOf(config),
    labels: Object.keys(config.labels).sort(),
    model: systemModelOf(config),
    mcpServers: mcpDirectoryOf(config),
    api: config.api,
    documents:
      config.api.documents === 'any'
        ? null
        : await readKnownDocuments(DASHBOARD_DIR, resolve(environment.configDir, 'documents')),
    dashboardDir: DASHBOARD_DIR,
    allowedHosts: config.system.allowedHosts,
    allowedOrigins: config.system.allowedOrigins,
    allowedWsOrigins: config.system.allowedWsOrigins,
    streamLimits: config.system.streams,
    metrics: core.telemetry.http,
    metricsPage: core.telemetry.page,
    tracing: core.observer.tracing,
    checks,
    onDemandChecks: { ...onDemandChecks, ...checkOf(replica), pipeline: intake.canaries.check },
    otherChecks,
  });
  core.telemetry.addFanOut(http.fanOut);
  const { url } = await http.listen(environment.httpHost, environment.httpPort);
  onStop(() => http.close());
  onStop(intake.canaries.start(url).stop);
  onStop(schedules.start().stop);
  onStop(async () => engine.stopTakingAlerts());
  return url;
}
