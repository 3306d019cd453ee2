import type pg from 'pg';
import type { Logger } from 'pino';
import { runPeriodically } from '../../common/periodic.ts';
import type { EnvironmentRecord } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import type { Transaction } from '../../db/queryable.ts';
import {
  createSlackClient,
  SLACK_ATTEMPT_MS,
  SLACK_CALL_MS,
  type SlackClient,
} from '../../engine/features/slack/client.ts';
import { createSlackEditor } from '../../engine/features/slack/edits.ts';
import { createSlackNotifier } from '../../engine/features/slack/notifier.ts';
import { createReturnWatch } from '../../engine/features/slack/return.ts';
import { startJobRunner } from '../../jobs/runner.ts';
import {
  areSlackPostsBehind,
  enqueueSlackPost,
  notifySlackTask,
  renewSlackPosts,
  requestSlackNews,
  resumeSlackPosts,
} from '../../jobs/tasks/notify-slack.ts';
import type { Masking } from '../../masking/masking.ts';
import { setupProblems } from '../../slack/setup.ts';
import { SLACK_KEYS, WARNING_CATEGORIES, type Warnings } from '../../warnings.ts';
import type { OnStop } from './types.ts';

const RECOVERY_INTERVAL_MS = 15_000;

/** Interval at which Slack's return is looked for while messages wait (ms). */
const RETURN_INTERVAL_MS = 5_000;

/** Interval at which new answers, approvals and changes of messages are looked for (ms). */
const NEWS_INTERVAL_MS = 3_000;

/** Interval at which scopes of the token and membership of the channel are checked (ms). */
const SETUP_INTERVAL_MS = 600_000;

function reportSetup(warnings: Warnings, problems: readonly string[]): Promise<void> {
  const [first, ...rest] = problems;
  if (first === undefined) return warnings.clear(WARNING_CATEGORIES.slack, SLACK_KEYS.setup);
  return warnings.raise({
    category: WARNING_CATEGORIES.slack,
    key: SLACK_KEYS.setup,
    message: `Slack is not set up completely. ${first}`,
    details: rest.join('\n') || null,
  });
}

/** Returns a function that opens a client for one attempt, with its time limit. The channel must be configured. */
export function slackClientOf(
  { env, slackApiUrl }: { env: EnvironmentRecord; slackApiUrl?: string },
  { tokenEnv, channel }: Config['system']['slack'],
  stopping: AbortSignal,
): () => SlackClient {
  return () =>
    createSlackClient({
      token: env[tokenEnv] ?? '',
      channel: channel ?? '',
      ...(slackApiUrl === undefined ? {} : { apiUrl: slackApiUrl }),
      callTimeoutMs: SLACK_CALL_MS,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(SLACK_ATTEMPT_MS)]),
    });
}

/** Starts posting to Slack if configured, with its own job runner, so that a slow Slack delays no other jobs. */
export async function startSlack(
  { env, slackApiUrl }: { env: EnvironmentRecord; slackApiUrl?: string },
  parts: {
    pool: pg.Pool;
    transaction: Transaction;
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
  const stopping = new AbortController();
  const openClient = slackClientOf(
    { env, ...(slackApiUrl === undefined ? {} : { slackApiUrl }) },
    slack,
    stopping.signal,
  );
  const messages = {
    db: pool,
    openClient,
    dashboardUrl,
    isInteractive: slack.receive !== 'none',
    stagesOf: (chainId: string) => config.chains[chainId]?.stages.map(({ name }) => name) ?? [],
    mask: (text: string) => masking.maskText(config.redact(text)),
    logger,
  };
  const notifier = createSlackNotifier({ ...messages, enqueue: enqueueSlackPost, warnings });
  const edit = createSlackEditor({ ...messages, transaction: parts.transaction });
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
  const returned = runPeriodically(
    createReturnWatch({
      openClient,
      isBehind: () => areSlackPostsBehind(pool),
      resume: () => resumeSlackPosts(pool),
    }),
    { task: 'look for the return of Slack', everyMs: RETURN_INTERVAL_MS, logger },
  );
  const isInteractive = slack.receive !== 'none';
  const news = runPeriodically(
    async () => {
      if (isInteractive) await requestSlackNews(pool);
      await edit();
    },
    { task: 'bring Slack messages up to date', everyMs: NEWS_INTERVAL_MS, logger },
  );
  const { channel } = slack;
  const checking = runPeriodically(
    async () => reportSetup(warnings, await setupProblems(openClient(), { ...slack, channel })),
    { task: 'check the installation in Slack', everyMs: SETUP_INTERVAL_MS, logger },
  );
  onStop(async () => {
    stopping.abort();
    await Promise.all([recovery.stop(), returned.stop(), news.stop(), checking.stop(), jobs.stop()]);
  });
}
