import { deleteOtherWarnings, SLACK_KEYS, WARNING_CATEGORIES } from '../../warnings.ts';
import type { Core } from './types.ts';

/** Deletes the warnings of an earlier configuration about what the present one does not contain. */
export async function deleteOldWarnings({ config, pool }: Pick<Core, 'config' | 'pool'>): Promise<void> {
  const { runbooks, slack } = config.system;
  const schedules = Object.values(config.schedules).filter(({ enabled }) => enabled);
  const channels = Object.keys(config.notifications.channels);
  const slackKeys = ['', SLACK_KEYS.setup, ...(slack.receive === 'socket' ? [SLACK_KEYS.socket] : [])];
  for (const [category, keys] of [
    [WARNING_CATEGORIES.schedules, schedules.map(({ name }) => name)],
    [WARNING_CATEGORIES.notifications, channels],
    [WARNING_CATEGORIES.notificationsDisabled, channels],
    [WARNING_CATEGORIES.slack, slack.enabled ? slackKeys : []],
    [WARNING_CATEGORIES.runbooks, runbooks.repoUrl === null ? [] : ['']],
  ] as const)
    await deleteOtherWarnings(pool, category, keys);
}
