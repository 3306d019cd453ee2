import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { partsOf } from '../keys.ts';
import { toDelivery } from '../parsed-alert.ts';

/**
 * Parses Google Cloud Monitoring webhooks, version 1.2, with one incident each. One alert is one policy on one resource.
 */
export const gcpMonitoring: ParseDelivery = (delivery) => {
  const incident = readJson(delivery).at('incident').requireObject();
  const id = incident.at('incident_id').requireText();
  const word = incident.at('state').requireText().toLowerCase();
  if (word !== 'open' && word !== 'closed') throw unreadable('$.incident.state', 'expected open or closed');
  const policy = incident.at('policy_name').text();
  const resource = incident.at('resource', 'labels').entries();
  const key =
    policy === null
      ? [id]
      : [policy, incident.at('resource', 'type').text(), ...partsOf(Object.fromEntries(resource))];
  const documentation = incident.at('documentation');
  const parsed = {
    fingerprint: key,
    group: key,
    episode: id,
    title: policy ?? incident.at('summary').text(),
    severity: severityOf(
      incident.at('severity').text() ?? incident.at('policy_user_labels', 'severity').text(),
    ),
    state: word === 'open' ? 'FIRING' : 'RESOLVED',
    labels: [
      ...incident.at('policy_user_labels').entries(),
      ...incident.at('metadata', 'user_labels').entries(),
      ...incident.at('metric', 'labels').entries(),
      ...resource,
      ['resource_type', incident.at('resource', 'type').text()] as const,
      ['metric', incident.at('metric', 'type').text()] as const,
      ['condition', incident.at('condition_name').text()] as const,
      ['project', incident.at('scoping_project_id').text()] as const,
    ],
    annotations: [
      ['summary', incident.at('summary').text()] as const,
      ['documentation', documentation.at('content').text() ?? documentation.text()] as const,
      ['observed_value', incident.at('observed_value').text()] as const,
      ['threshold_value', incident.at('threshold_value').text()] as const,
    ],
    startsAt: incident.at('started_at').date(),
    endsAt: incident.at('ended_at').date(),
    url: incident.at('url').text(),
  } as const;
  return toDelivery([parsed]);
};
