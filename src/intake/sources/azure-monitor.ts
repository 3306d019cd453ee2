import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses Azure Monitor's common alert schema. An alert rule and its targets identify an alert. */
export const azureMonitor: ParseDelivery = (delivery) => {
  const body = readJson(delivery);
  if (body.at('schemaId').text() !== 'azureMonitorCommonAlertSchema')
    throw unreadable(
      '$.schemaId',
      'expected azureMonitorCommonAlertSchema; switch the common alert schema on in the action group',
    );
  const essentials = body.at('data', 'essentials').requireObject();
  const condition = essentials.at('monitorCondition').requireText();
  if (condition !== 'Fired' && condition !== 'Resolved')
    throw unreadable('$.data.essentials.monitorCondition', 'expected Fired or Resolved');
  const targets = essentials.at('alertTargetIDs');
  const rule = essentials.at('alertRuleId').text() ?? essentials.at('alertRule').requireText();
  const context = body.at('data', 'alertContext').entries();
  return toDelivery([
    {
      fingerprint: [rule, ...targets.texts().sort()],
      episode: essentials.at('alertId').text() ?? essentials.at('originAlertId').text(),
      title: essentials.at('alertRule').text() ?? rule,
      severity: severityOf(essentials.at('severity').text()),
      state: condition === 'Fired' ? 'FIRING' : 'RESOLVED',
      labels: [
        ...body.at('data', 'customProperties').entries(),
        ['signal', essentials.at('signalType').text()],
        ['service', essentials.at('monitoringService').text()],
        ['targets', targets.joined()],
        ['items', essentials.at('configurationItems').joined()],
      ],
      annotations: [
        ['description', essentials.at('description').text()],
        ...context.map(([name, value]) => [`context.${name}`, value] as const),
      ],
      startsAt: essentials.at('firedDateTime').date(),
      endsAt: essentials.at('resolvedDateTime').date(),
    },
  ]);
};
