import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses Azure Monitor's common alert schema. One alert is one rule on its targets. */
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
  const targets = essentials
    .at('alertTargetIDs')
    .list()
    .flatMap((target) => target.text() ?? []);
  const rule = essentials.at('alertRuleId').text() ?? essentials.at('alertRule').requireText();
  const key = [rule, ...targets.toSorted()];
  const parsed = {
    fingerprint: key,
    group: key,
    episode: essentials.at('alertId').text() ?? essentials.at('originAlertId').text(),
    title: essentials.at('alertRule').text() ?? rule,
    severity: severityOf(essentials.at('severity').text()),
    state: condition === 'Fired' ? 'FIRING' : 'RESOLVED',
    labels: [
      ...body.at('data', 'customProperties').entries(),
      ['signal', essentials.at('signalType').text()] as const,
      ['service', essentials.at('monitoringService').text()] as const,
      ['targets', targets.join(', ') || null] as const,
      [
        'items',
        essentials
          .at('configurationItems')
          .list()
          .flatMap((item) => item.text() ?? [])
          .join(', ') || null,
      ] as const,
    ],
    annotations: [
      ['description', essentials.at('description').text()] as const,
      ...body
        .at('data', 'alertContext')
        .entries()
        .map(([name, value]) => [`context.${name}`, value] as const),
    ],
    startsAt: essentials.at('firedDateTime').date(),
    endsAt: essentials.at('resolvedDateTime').date(),
  } as const;
  return toDelivery([parsed]);
};
