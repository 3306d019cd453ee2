import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { splitTag } from './tags.ts';

const STATES = new Map<string, AlertState>([
  ['Create', 'FIRING'],
  ['Acknowledge', 'FIRING'],
  ['UnAcknowledge', 'FIRING'],
  ['UpdatePriority', 'FIRING'],
  ['Close', 'RESOLVED'],
  ['Delete', 'RESOLVED'],
]);

/** Parses Opsgenie and Jira Service Management webhooks, each about one action on one alert. */
export const opsgenie: ParseDelivery = (delivery) => {
  const body = readJson(delivery);
  const action = body.at('action').requireText();
  const state = STATES.get(action);
  if (!state) return ignored(`An action ${action.slice(0, 60)} changes nothing here.`);
  const alert = body.at('alert').requireObject();
  const key = alert.at('alias').text() ?? alert.at('alertId').requireText();
  const priority = alert.at('priority').text();
  return toDelivery([
    {
      fingerprint: [key],
      episode: alert.at('alertId').text(), // a new alert may reuse the alias of a closed one
      title: alert.at('message').text() ?? key,
      severity: severityOf(priority !== null && /^[1-5]$/.test(priority) ? `P${priority}` : priority),
      state,
      labels: [
        ...alert.at('details').entries(),
        ...alert.at('tags').texts().map(splitTag),
        ...alert.pairs('entity', 'source', 'team', 'tinyId', 'username', 'priority'),
      ],
      annotations: alert.pairs('description'),
      startsAt: alert.at('createdAt').date(),
      endsAt: alert.at('updatedAt').date(),
      reportedAt: alert.at('updatedAt').date(),
      objectId: alert.at('alertId').text(),
    },
  ]);
};
