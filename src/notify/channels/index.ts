import type { EnvironmentRecord } from '../../config/env.ts';
import type { ChannelConfig } from '../../config/types.ts';
import type { Network } from '../../runbooks/network.ts';
import { createGuardedPost, createGuardedRequest } from '../guarded-request.ts';
import type { Send } from './channel.ts';
import { emailChannel } from './email.ts';
import { mattermostChannel } from './mattermost.ts';
import { slackChannel } from './slack.ts';
import { teamsChannel } from './teams.ts';
import { webhookChannel } from './webhook.ts';
import { openWriteBack } from './write-back/index.ts';

export interface ChannelDeps {
  env: EnvironmentRecord;
  network: Network;
  dashboardUrl: string;
  /** @default Slack's own API */
  slackApiUrl?: string;
}

/** Opens a configured channel. The configuration check guarantees that its environment variables are set. */
export function openChannel(
  { env, network, dashboardUrl, slackApiUrl }: ChannelDeps,
  config: ChannelConfig,
): Send {
  const post = createGuardedPost(network);
  switch (config.kind) {
    case 'email':
      return emailChannel(
        network,
        config,
        config.passwordEnv === null ? null : (env[config.passwordEnv] ?? ''),
      );
    case 'slack':
      return slackChannel({
        ...{ token: env[config.tokenEnv] ?? '', channel: config.channel },
        ...(slackApiUrl === undefined ? {} : { apiUrl: slackApiUrl }),
      });
    case 'teams':
      return teamsChannel(post, {
        url: new URL(env[config.urlEnv] ?? ''),
        allowPrivate: config.allowPrivate,
      });
    case 'mattermost':
      return mattermostChannel(post, {
        url: new URL(env[config.urlEnv] ?? ''),
        allowPrivate: config.allowPrivate,
      });
    case 'webhook':
      return webhookChannel(post, {
        ...{ url: new URL(config.url), allowPrivate: config.allowPrivate, source: dashboardUrl },
        secrets: config.secretsEnv.map((variable) => env[variable] ?? ''),
      });
    case 'write_back':
      return openWriteBack(createGuardedRequest(network), env, config.writeBack);
  }
}
