import { runPeriodically } from '../../common/periodic.ts';
import { cleanUp } from '../../notify/store.ts';
import type { AppOptions, Core, OnStop } from './types.ts';

const CLEAN_UP_MS = 3_600_000;

/** Starts cleaning up notifications, and sending them if channels are configured. */
export async function startNotifications(
  { env, network, slackApiUrl }: Pick<AppOptions, 'env' | 'network' | 'slackApiUrl'>,
  { pool: db, config, masking, warnings, telemetry, logger }: Core,
  onStop: OnStop,
): Promise<void> {
  const { sessionRetentionDays, graceDays } = config.system.retention;
  const round = () => cleanUp(db, sessionRetentionDays + graceDays);
  onStop(runPeriodically(round, { task: 'clean up notifications', everyMs: CLEAN_UP_MS, logger }).stop);
  const configured = Object.values(config.notifications.channels);
  if (configured.length === 0) return;
  const [{ openChannel }, { startDeliveries }, { systemNetwork }] = await Promise.all([
    import('../../notify/channels/index.ts'),
    import('../../notify/deliver.ts'),
    import('../../runbooks/network.ts'),
  ]);
  const { dashboardUrl } = config.system;
  const deps = {
    env,
    network: network ?? systemNetwork(),
    dashboardUrl,
    ...(slackApiUrl && { slackApiUrl }),
  };
  const deliveries = startDeliveries({
    db,
    channels: new Map(configured.map((channel) => [channel.name, openChannel(deps, channel)])),
    dashboardUrl,
    mask: (text) => masking.maskText(config.redact(text)),
    warnings,
    metrics: telemetry.notifications,
    logger,
  });
  onStop(deliveries.stop);
}
