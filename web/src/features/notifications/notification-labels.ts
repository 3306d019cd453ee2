import type { ChannelItemFragment, DeliveryItemFragment } from '../../graphql/gen/documents.ts';
import type { StatusTone } from '../../theme.ts';

export const KINDS: Readonly<Record<ChannelItemFragment['kind'], string>> = {
  EMAIL: 'E-mail',
  MATTERMOST: 'Mattermost',
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
  WEBHOOK: 'Webhook',
  WRITE_BACK: 'Write-back',
};

export const STATUSES: Readonly<Record<DeliveryItemFragment['status'], { tone: StatusTone; label: string }>> =
  {
    PENDING: { tone: 'queued', label: 'Waiting' },
    DELIVERED: { tone: 'done', label: 'Delivered' },
    FAILED: { tone: 'failed', label: 'Failed' },
    DISABLED: { tone: 'stopped', label: 'Disabled' },
  };
