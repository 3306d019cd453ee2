import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses New Relic workflow webhooks, in the default template or the older incident template. */
export const newrelic: ParseDelivery = (delivery) => {
  const body = readJson(delivery).requireObject();
  const id = body.at('id').text() ?? body.at('incident_id').text();
  if (id === null) throw unreadable('$.id', 'is required');
  const word = (body.at('state').text() ?? body.at('current_state').text() ?? '').toUpperCase();
  const state = word === 'CLOSED' || word === 'RESOLVED' ? 'RESOLVED' : 'FIRING';
  const parsed = {
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
    startsAt: body.at('createdAt').date() ?? body.at('timestamp').date(),
    endsAt: state === 'RESOLVED' ? (body.at('closedAt').date() ?? body.at('updatedAt').date()) : null,
    url: body.at('issueUrl').text() ?? body.at('incident_url').text(),
  } as const;
  return toDelivery([parsed]);
};

function first(reader: JsonReader): string | null {
  return reader.text() ?? reader.at(0).text();
}

function joined(reader: JsonReader): string | null {
  const texts = reader.list().flatMap((item) => item.text() ?? []);
  return texts.length === 0 ? reader.text() : texts.join(', ');
}
