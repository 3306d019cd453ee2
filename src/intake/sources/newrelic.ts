import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { jsonOfDelivery, type Reader } from '../json-reader.ts';
import { delivered } from '../parsed-alert.ts';

/** New Relic, webhook of a workflow in its default template, or in the older one of incidents. */
export const newrelic: ParseDelivery = (delivery) => {
  const body = jsonOfDelivery(delivery).requireObject();
  const id = body.at('id').text() ?? body.at('incident_id').text();
  if (id === null) throw unreadable('$.id', 'is required');
  const word = (body.at('state').text() ?? body.at('current_state').text() ?? '').toUpperCase();
  const state = word === 'CLOSED' || word === 'RESOLVED' ? 'RESOLVED' : 'FIRING';
  const draft = {
    fingerprint: [id],
    group: [id],
    title: first(body.at('title')) ?? body.at('condition_name').text(),
    severity: severityOf(body.at('priority').text() ?? body.at('severity').text()),
    state,
    labels: [
      ['policy', joined(body.at('alertPolicyNames')) ?? body.at('policy_name').text()] as const,
      ['condition', joined(body.at('alertConditionNames')) ?? body.at('condition_name').text()] as const,
      ['entities', joined(body.at('impactedEntities'))] as const,
      ['source', joined(body.at('sources'))] as const,
      ['workflow', body.at('workflowName').text()] as const,
    ],
    annotations: [
      ['trigger', body.at('trigger').text()] as const,
      ['totalIncidents', body.at('totalIncidents').text()] as const,
      ['details', body.at('details').text()] as const,
    ],
    startsAt: body.at('createdAt').moment() ?? body.at('timestamp').moment(),
    endsAt: state === 'RESOLVED' ? (body.at('closedAt').moment() ?? body.at('updatedAt').moment()) : null,
    url: body.at('issueUrl').text() ?? body.at('incident_url').text(),
  } as const;
  return delivered([draft]);
};

/** Some templates make a title a list. */
function first(reader: Reader): string | null {
  return reader.text() ?? reader.at(0).text();
}

function joined(reader: Reader): string | null {
  const texts = reader.list().flatMap((item) => item.text() ?? []);
  return texts.length === 0 ? reader.text() : texts.join(', ');
}
