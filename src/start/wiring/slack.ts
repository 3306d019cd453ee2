import type pg from 'pg';
import type { Logger } from 'pino';
import { runPeriodically } from '../../common/periodic.ts';
import type { EnvironmentRecord } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import { createSlackClient, SLACK_ATTEMPT_MS, SLACK_CALL_MS } from '../../engine/features/slack/client.ts';
import { createSlackNotifier } from '../../engine/features/slack/notifier.ts';
import { startJobRunner } from '../../jobs/runner.ts';
import { enqueueSlackPost, notifySlackTask, renewSlackPosts } from '../../jobs/tasks/notify-slack.ts';
import type { Masking } from '../../masking/masking.ts';
import type { Warnings } from '../../warnings.ts';
import type { OnStop } from './types.ts';

const RECOVERY_INTERVAL_MS = 15_000;

/** Starts posting to Slack if configured, with its own job runner, so that a slow Slack delays no other jobs. */
export async function startSlack(
  { env, slackApiUrl }: { env: EnvironmentRecord; slackApiUrl?: string },
  parts: {
    pool: pg.Pool;
    queue: pg.Pool;
    config: Config;
    masking: Masking;
    warnings: Warnings;
    logger: Logger;
  },
  onStop: OnStop,
): Promise<void> {
  const { pool, queue, config, masking, warnings, logger } = parts;
  const { slack, dashboardUrl } = config.system;
  if (!slack.enabled || slack.channel === null) return;
  const { channel, tokenEnv } = slack;
  const stopping = new AbortController();
  const notifier = createSlackNotifier({
    db: pool,
    openClient: () =>
      createSlackClient({
        token: env[tokenEnv] ?? '',
        channel,
        ...(slackApiUrl === undefined ? {} : { apiUrl: slackApiUrl }),
        callTimeoutMs: SLACK_CALL_MS,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(SLACK_ATTEMPT_MS)]),
      }),
    dashboardUrl,
    mask: (text) => masking.maskText(config.redact(text)),
    enqueue: enqueueSlackPost,
    warnings,
    logger,
  });
  const jobs = await startJobRunner({
    pool: queue,
    isWoken: true,
    tasks: [notifySlackTask(notifier)],
    concurrency: 1,
    logger,
  });
  const recovery = runPeriodically(() => renewSlackPosts(pool), {
    task: 'recover lost Slack messages',
    everyMs: RECOVERY_INTERVAL_MS,
    logger,
  });
  onStop(async () => {
    stopping.abort();
    await Promise.all([recovery.stop(), jobs.stop()]);
  });
}
