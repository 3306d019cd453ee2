import type { AlertState } from '../../db/enums.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Event types of an open incident. Any of them may be the first event about the incident that arrives. */
const OPEN = new Set(
  'triggered acknowledged unacknowledged reopened delegated escalated reassigned priority_updated'
    .split(' ')
    .map((name) => `incident.${name}`),
);

/**
 * Parses PagerDuty webhooks v3, each about one event of an incident. An incident is one alert. A new priority changes
 * the alert's severity.
 */
export const pagerduty: ParseDelivery = (delivery) => {
  const event = readJson(delivery).at('event').requireObject();
  const type = event.at('event_type').requireText();
  const deliveryKey = event.at('id').text();
  if (!OPEN.has(type) && type !== 'incident.resolved')
    return ignored(`An event ${type.slice(0, 60)} changes nothing here.`, deliveryKey);
  const incident = event.at('data').requireObject();
  const isResolved = type === 'incident.resolved' || incident.at('status').text() === 'resolved';
  const state: AlertState = isResolved ? 'RESOLVED' : 'FIRING';
  const priority = incident.at('priority', 'summary').text();
  const urgency = incident.at('urgency').text();
  const teams = incident.at('teams').list();
  const severity = severityOf(priority);
  const parsed = {
    fingerprint: [incident.at('id').requireText()],
    title: incident.at('title').text(),
    severity: severity === 'UNKNOWN' ? severityOf(urgency) : severity,
    state,
    labels: [
      ['service', incident.at('service', 'summary').text()],
      ['teams', teams.flatMap((team) => team.at('summary').text() ?? []).join(', ') || null],
      ['incident_key', incident.at('incident_key').text()],
      ['incident_type', incident.at('incident_type', 'name').text()],
      ['urgency', urgency],
      ['priority', priority],
    ] as const,
    annotations: [
      ['number', incident.at('number').text()],
      ['resolve_reason', incident.at('resolve_reason', 'type').text()],
    ] as const,
    startsAt: incident.at('reopened_at').date() ?? incident.at('created_at').date(),
    endsAt: event.at('occurred_at').date(),
    reportedAt: event.at('occurred_at').date(),
    url: incident.at('html_url').text(),
    objectId: incident.at('id').text(),
  };
  return toDelivery([parsed], { deliveryKey });
};
