import type { EndedAccess } from '../../access/ended-access.ts';
import { runPeriodically } from '../../common/periodic.ts';
import type { Engine } from '../../engine/api/engine.ts';
import type { SlackEndpoint } from '../../http/slack.ts';
import type { Intake } from '../../intake/index.ts';
import { openQueuePool } from '../../jobs/queue-pool.ts';
import { startJobRunner } from '../../jobs/runner.ts';
import {
  createRequestStore,
  enqueueRequest,
  handleSlackTask,
  renewRequests,
} from '../../jobs/tasks/handle-slack.ts';
import { requestSlackStart } from '../../jobs/tasks/notify-slack.ts';
import { createRequestHandler } from '../../slack/handler.ts';
import { createInbox } from '../../slack/inbox.ts';
import { removeOldRequests } from '../../slack/requests.ts';
import { createSlackViewers } from '../../slack/viewer.ts';
import { SLACK_KEYS, WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import { slackClientOf } from './slack.ts';
import type { AppOptions, Core, OnStop } from './types.ts';

const RECOVERY_INTERVAL_MS = 5_000;
const CLEAN_UP_MS = 3_600_000;

/** Requests of users that are handled at the same time. Each takes a few calls of Slack. */
const CONCURRENCY = 4;

/** Starts what handles requests of users in Slack. Returns the endpoint that Slack calls; `null` if there is none. */
export async function startSlackInbox(
  options: AppOptions,
  parts: Core & { engine: Engine; intake: Intake; endedAccess: EndedAccess },
  onStop: OnStop,
): Promise<SlackEndpoint | null> {
  const { config, pool, masking, logger } = parts;
  const { slack } = config.system;
  if (!slack.enabled || slack.channel === null || slack.receive === 'none') return null;
  const stopping = new AbortController();
  const openClient = slackClientOf(options, slack, stopping.signal);
  const mask = (text: string) => masking.maskText(config.redact(text));
  const inbox = createInbox({
    channel: slack.channel,
    identity: () => openClient().identity(),
    store: createRequestStore(pool),
    mask,
    logger,
  });
  const readUser = async (id: string) => {
    const client = openClient();
    return client.user(id, (await client.identity()).teamId);
  };
  const handle = createRequestHandler({
    ...parts,
    db: pool,
    viewers: createSlackViewers({ ...parts, access: config.access, readUser }),
    openClient,
    dashboardUrl: config.system.dashboardUrl,
    mask,
    requestStart: requestSlackStart,
    enqueue: enqueueRequest,
  });
  const queue = openQueuePool(options.databaseUrl, { application: 'tarsy-api-slack', logger });
  onStop(() => queue.end());
  const jobs = await startJobRunner({
    pool: queue,
    isWoken: true,
    tasks: [handleSlackTask(handle)],
    concurrency: CONCURRENCY,
    logger,
  });
  const repeated = [
    runPeriodically(() => renewRequests(pool), {
      task: 'recover lost Slack requests',
      everyMs: RECOVERY_INTERVAL_MS,
      logger,
    }),
    runPeriodically(() => removeOldRequests(pool), {
      task: 'remove old Slack requests',
      everyMs: CLEAN_UP_MS,
      logger,
    }),
  ];
  onStop(async () => {
    stopping.abort();
    await Promise.all([jobs.stop(), ...repeated.map((each) => each.stop())]);
  });
  const { reaction, receive, signingSecretEnv, appTokenEnv } = slack;
  if (receive === 'http') return { inbox, signingSecret: options.env[signingSecretEnv] ?? '', reaction };
  const { startSocketMode } = await import('../../slack/socket-mode.ts');
  const socket = startSocketMode({
    inbox,
    appToken: options.env[appTokenEnv] ?? '',
    ...(options.slackApiUrl === undefined ? {} : { apiUrl: options.slackApiUrl }),
    reaction,
    reportFailure: (code) => reportSocket(parts.warnings, code),
    logger,
  });
  onStop(() => socket.stop());
  return null;
}

function reportSocket(warnings: Warnings, code: string | null): Promise<void> {
  if (code === null) return warnings.clear(WARNING_CATEGORIES.slack, SLACK_KEYS.socket);
  const message = `TARSy has no connection to Slack: ${code}. Check the app-level token and its scope connections:write.`;
  return warnings.raise({ category: WARNING_CATEGORIES.slack, key: SLACK_KEYS.socket, message });
}
