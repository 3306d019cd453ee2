import type { EnvironmentRecord } from '../../../config/env.ts';
import type { WriteBackConfig } from '../../../config/types.ts';
import type { GuardedRequest } from '../../guarded-request.ts';
import type { Send } from '../channel.ts';
import { writeBackChannel } from './channel.ts';
import { datadog, datadogHeaders } from './datadog.ts';
import { grafana } from './grafana.ts';
import { jira } from './jira.ts';
import { jsmEdition, OPSGENIE, opsgenie } from './opsgenie.ts';
import { pagerduty, pagerdutyHeaders } from './pagerduty.ts';
import type { Sender } from './sender.ts';
import { basicAuth, bearerAuth, createSenderApi } from './sender-api.ts';
import { sentry } from './sentry.ts';
import { servicenow } from './servicenow.ts';
import { zabbix } from './zabbix.ts';

/** Opens the channel to a source's sender. The configuration check guarantees that its environment variables are set. */
export function openWriteBack(
  request: GuardedRequest,
  env: EnvironmentRecord,
  config: WriteBackConfig,
): Send {
  return writeBackChannel(openSender(request, env, config), {
    acknowledge: 'acknowledge' in config ? config.acknowledge : [],
    resolve: 'resolve' in config ? config.resolve : [],
  });
}

function openSender(request: GuardedRequest, env: EnvironmentRecord, config: WriteBackConfig): Sender {
  const { url, allowPrivate } = config;
  const token = env[config.tokenEnv] ?? '';
  const api = (headers: Record<string, string>) => createSenderApi({ request, url, headers, allowPrivate });
  switch (config.kind) {
    case 'pagerduty':
      return pagerduty(api(pagerdutyHeaders(token, config.from)));
    case 'opsgenie':
      return opsgenie(api({ authorization: `GenieKey ${token}` }), OPSGENIE);
    case 'jsm':
      return opsgenie(api(basicAuth(config.username, token)), jsmEdition(config.cloudId));
    case 'grafana':
      return grafana(api(bearerAuth(token)));
    case 'datadog':
      return datadog(api(datadogHeaders(token, env[config.applicationKeyEnv] ?? '')));
    case 'sentry':
      return sentry(api(bearerAuth(token)), config.organization);
    case 'zabbix':
      return zabbix(api(bearerAuth(token)));
    case 'servicenow': {
      const { username, table } = config;
      return servicenow(
        api(username === null ? { 'x-sn-apikey': token } : basicAuth(username, token)),
        table,
      );
    }
    case 'jira': {
      const { username, edition } = config;
      return jira(api(username === null ? bearerAuth(token) : basicAuth(username, token)), edition);
    }
  }
}
