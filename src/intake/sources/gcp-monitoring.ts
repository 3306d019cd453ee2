import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { partsOf } from '../keys.ts';
import { toDelivery } from '../parsed-alert.ts';
import { stateOf } from './alert-state.ts';

/**
 * Parses Google Cloud Monitoring webhooks, version 1.2. A policy and a resource are a group; each incident in it is an
 * alert, because a policy may have several incidents on a resource at a time.
 */
export const gcpMonitoring: ParseDelivery = (delivery) => {
  const incident = readJson(delivery).at('incident').requireObject();
  const id = incident.at('incident_id').requireText();
  const state = stateOf(incident.at('state').requireText(), ['closed']);
  const policy = incident.at('policy_name').text();
  const resourceType = incident.at('resource', 'type').text();
  const resource = incident.at('resource', 'labels').entries();
  const userLabels = incident.at('policy_user_labels');
  const documentation = incident.at('documentation');
  const group = policy === null ? [id] : [policy, resourceType, ...partsOf(Object.fromEntries(resource))];
  return toDelivery([
    {
      fingerprint: policy === null ? group : [...group, id],
      group,
      episode: id,
      title: policy ?? incident.at('summary').text(),
      severity: severityOf(incident.at('severity').text() ?? userLabels.at('severity').text()),
      state,
      labels: [
        ...userLabels.entries(),
        ...incident.at('metadata', 'user_labels').entries(),
        ...incident.at('metric', 'labels').entries(),
        ...resource,
        ['resource_type', resourceType],
        ['metric', incident.at('metric', 'type').text()],
        ['condition', incident.at('condition_name').text()],
        ['project', incident.at('scoping_project_id').text()],
      ],
      annotations: [
        ...incident.pairs('summary'),
        ['documentation', documentation.at('content').text() ?? documentation.text()],
        ...incident.pairs('observed_value', 'threshold_value'),
      ],
      startsAt: incident.at('started_at').date(),
      endsAt: incident.at('ended_at').date(),
      url: incident.at('url').text(),
    },
  ]);
};
