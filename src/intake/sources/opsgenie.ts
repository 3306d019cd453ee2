import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { splitTag } from './tags.ts';

const STATES: Readonly<Record<string, AlertState>> = {
  Create: 'FIRING',
  UnAcknowledge: 'FIRING',
  Close: 'RESOLVED',
  Delete: 'RESOLVED',
};

/** Parses Opsgenie and Jira Service Management webhooks: one action on one alert. */
export const opsgenie: ParseDelivery = (delivery) => {
  const body = readJson(delivery);
  const action = body.at('action').requireText();
  const state = Object.hasOwn(STATES, action) ? STATES[action]! : null;
  if (state === null) return ignored(`An action ${action.slice(0, 60)} changes nothing here.`);
  const alert = body.at('alert').requireObject();
  const key = alert.at('alias').text() ?? alert.at('alertId').requireText();
  const priority = alert.at('priority').text();
  const tags = alert
    .at('tags')
    .list()
    .flatMap((tag) => tag.text() ?? []);
  const parsed = {
    fingerprint: [key],
    group: [key],
    episode: alert.at('alertId').text(), // an alias is reused once its alert is closed
    title: alert.at('message').text() ?? key,
    severity: severityOf(priority !== null && /^[1-5]$/.test(priority) ? `P${priority}` : priority),
    state,
    labels: [
      ...alert.at('details').entries(),
      ...tags.map(splitTag),
      ...(['entity', 'source', 'team', 'tinyId', 'username'] as const).map(
        (name) => [name, alert.at(name).text()] as const,
      ),
      ['priority', priority] as const,
    ],
    annotations: [['description', alert.at('description').text()] as const],
    startsAt: state === 'FIRING' ? alert.at('createdAt').date() : null,
    endsAt: state === 'RESOLVED' ? alert.at('updatedAt').date() : null,
  };
  return toDelivery([parsed]);
};
