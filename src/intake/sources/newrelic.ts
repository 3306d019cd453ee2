import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { stateOf } from './alert-state.ts';

/** Parses New Relic workflow webhooks, in the default template or the older incident template. */
export const newrelic: ParseDelivery = (delivery) => {
  const body = readJson(delivery).requireObject();
  const id = body.at('id').text() ?? body.at('incident_id').text();
  if (id === null) throw unreadable('$.id', 'is required');
  const condition = body.at('condition_name').text();
  const joined = (name: string) => body.at(name).joined() ?? body.at(name).text();
  return toDelivery([
    {
      fingerprint: [id],
      title: body.at('title').text() ?? body.at('title', 0).text() ?? condition,
      severity: severityOf(body.at('priority').text() ?? body.at('severity').text()),
      state: stateOf(body.at('state').text() ?? body.at('current_state').text(), ['closed', 'resolved']),
      labels: [
        ['policy', joined('alertPolicyNames') ?? body.at('policy_name').text()],
        ['condition', joined('alertConditionNames') ?? condition],
        ['entities', joined('impactedEntities')],
        ['source', joined('sources')],
        ['workflow', body.at('workflowName').text()],
      ],
      annotations: [
        ...body.pairs('trigger', 'totalIncidents', 'details', 'description'),
        ['runbook_url', joined('runbookUrl') ?? joined('runbook_url')],
      ],
      startsAt: body.at('createdAt').date() ?? body.at('timestamp').date(),
      endsAt: body.at('closedAt').date() ?? body.at('updatedAt').date(),
      reportedAt: body.at('updatedAt').date(),
      url:
        body.at('issueUrl').text() ?? body.at('incident_url').text() ?? body.at('violationChartUrl').text(),
    },
  ]);
};
