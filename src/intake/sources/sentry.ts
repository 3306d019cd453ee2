import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses Sentry integration webhooks: event alerts, metric alerts, and issues, which resolve event alerts. */
export const sentry: ParseDelivery = ({ headers, ...delivery }) => {
  const body = readJson({ headers, ...delivery });
  const data = body.at('data');
  const action = body.at('action').requireText();
  const resource = headers['sentry-hook-resource'] ?? resourceOf(data);
  if (resource === 'event_alert') return eventAlert(data.at('event').requireObject(), data);
  if (resource === 'metric_alert') return metricAlert(data.at('metric_alert').requireObject(), data, action);
  if (resource === 'issue') return issue(data.at('issue').requireObject(), action);
  return ignored(`A webhook about ${(resource ?? 'something else').slice(0, 60)} is no alert.`);
};

function resourceOf(data: JsonReader): string | null {
  if (data.at('metric_alert').exists) return 'metric_alert';
  if (data.at('event').exists) return 'event_alert';
  return data.at('issue').exists ? 'issue' : null;
}

function issueKey(id: string): string {
  return `issue:${id}`;
}

function eventAlert(event: JsonReader, data: JsonReader): ParsedDelivery {
  const key = issueKey(event.at('issue_id').requireText());
  const tags = event
    .at('tags')
    .list()
    .map((tag) => [tag.at(0).text() ?? '', tag.at(1).text()] as const);
  const parsed = {
    fingerprint: [key],
    group: [key],
    title: event.at('title').text(),
    severity: severityOf(event.at('level').text()),
    state: 'FIRING',
    labels: [
      ...tags,
      ...(['release', 'environment', 'project', 'culprit', 'level'] as const).map(
        (name) => [name, event.at(name).text()] as const,
      ),
      ['rule', data.at('triggered_rule').text()] as const,
    ],
    annotations: [
      ['message', event.at('message').text()] as const,
      ['event_id', event.at('event_id').text()] as const,
    ],
    // Each event of an issue has its own time, which starts nothing.
    startsAt: null,
    url: event.at('web_url').text(),
  } as const;
  return toDelivery([parsed]);
}

function metricAlert(alert: JsonReader, data: JsonReader, action: string): ParsedDelivery {
  const id = alert.at('id').requireText();
  const rule = alert.at('alert_rule');
  const key = `metric:${id}`;
  const state = action === 'resolved' ? 'RESOLVED' : 'FIRING';
  const parsed = {
    fingerprint: [key],
    group: [key],
    title: data.at('description_title').text() ?? alert.at('title').text(),
    severity: severityOf(action),
    state,
    labels: [
      ['rule', rule.at('name').text()] as const,
      ['aggregate', rule.at('aggregate').text()] as const,
      ['query', rule.at('query').text()] as const,
    ],
    annotations: [['description', data.at('description_text').text()] as const],
    startsAt: alert.at('date_started').date(),
    endsAt: alert.at('date_closed').date(),
    url: data.at('web_url').text(),
  } as const;
  return toDelivery([parsed]);
}

/** An issue is no alert itself, but resolving it resolves the alerts on its events. */
function issue(about: JsonReader, action: string): ParsedDelivery {
  if (action !== 'resolved' && action !== 'archived')
    return ignored(`That an issue was ${action.slice(0, 60)} changes nothing here.`);
  const key = issueKey(about.at('id').requireText());
  const parsed = {
    fingerprint: [key],
    group: [key],
    title: about.at('title').text(),
    severity: severityOf(about.at('level').text()),
    state: 'RESOLVED',
    labels: [
      ['project', about.at('project', 'slug').text()] as const,
      ['culprit', about.at('culprit').text()] as const,
    ],
    url: about.at('web_url').text(),
  } as const;
  return toDelivery([parsed]);
}
