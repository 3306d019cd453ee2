import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

const STATES: Readonly<Record<string, AlertState>> = {
  'incident.triggered': 'FIRING',
  'incident.reopened': 'FIRING',
  'incident.unacknowledged': 'FIRING',
  'incident.resolved': 'RESOLVED',
};

/** Parses PagerDuty webhooks v3: one event of one incident. An incident is one alert and its own group. */
export const pagerduty: ParseDelivery = (delivery) => {
  const event = readJson(delivery).at('event').requireObject();
  const type = event.at('event_type').requireText();
  const deliveryKey = event.at('id').text();
  const state = Object.hasOwn(STATES, type) ? STATES[type]! : null;
  if (state === null) return ignored(`An event ${type.slice(0, 60)} changes nothing here.`, deliveryKey);
  const incident = event.at('data').requireObject();
  const id = incident.at('id').requireText();
  const reopened = type === 'incident.reopened' ? incident.at('reopened_at').date() : null;
  const priority = severityOf(incident.at('priority', 'summary').text());
  const parsed = {
    fingerprint: [id],
    group: [id],
    title: incident.at('title').text(),
    severity: priority === 'UNKNOWN' ? severityOf(incident.at('urgency').text()) : priority,
    state,
    labels: [
      ['service', incident.at('service', 'summary').text()],
      [
        'teams',
        incident
          .at('teams')
          .list()
          .map((team) => team.at('summary').text())
          .filter(Boolean)
          .join(', ') || null,
      ],
      ['incident_key', incident.at('incident_key').text()],
      ['incident_type', incident.at('incident_type', 'name').text()],
      ['urgency', incident.at('urgency').text()],
      ['priority', incident.at('priority', 'summary').text()],
    ] as const,
    annotations: [
      ['number', incident.at('number').text()],
      ['resolve_reason', incident.at('resolve_reason', 'type').text()],
    ] as const,
    startsAt: reopened ?? (state === 'FIRING' ? incident.at('created_at').date() : null),
    endsAt: state === 'RESOLVED' ? event.at('occurred_at').date() : null,
    url: incident.at('html_url').text(),
  };
  return toDelivery([parsed], { deliveryKey });
};
