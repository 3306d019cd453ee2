import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { stateOf } from './alert-state.ts';
import { eventAnnotations } from './sentry-event.ts';

/** Parses Sentry webhooks: event alerts, metric alerts and issues. A resolved or archived issue resolves its alert. */
export const sentry: ParseDelivery = (delivery) => {
  const body = readJson(delivery);
  const data = body.at('data');
  const action = body.at('action').requireText();
  const resource = delivery.headers['sentry-hook-resource'] ?? resourceOf(data);
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

/** Parses an event alert. The alert gets no start time, because it began before the event that the payload contains. */
function eventAlert(event: JsonReader, data: JsonReader): ParsedDelivery {
  const tags = event.at('tags').list();
  return toDelivery([
    {
      fingerprint: [`issue:${event.at('issue_id').requireText()}`],
      title: event.at('title').text(),
      severity: severityOf(event.at('level').text()),
      state: 'FIRING',
      labels: [
        ...tags.map((tag) => [tag.at(0).text() ?? '', tag.at(1).text()] as const),
        ...event.pairs('release', 'environment', 'project', 'culprit', 'level'),
        ['rule', data.at('triggered_rule').text()],
      ],
      annotations: [...eventAnnotations(event), ...event.pairs('message', 'event_id')],
      reportedAt: event.at('datetime').date() ?? event.at('timestamp').date(),
      url: event.at('web_url').text(),
      objectId: event.at('issue_id').text(),
    },
  ]);
}

function metricAlert(alert: JsonReader, data: JsonReader, action: string): ParsedDelivery {
  const rule = alert.at('alert_rule');
  return toDelivery([
    {
      fingerprint: [`metric:${alert.at('id').requireText()}`],
      title: data.at('description_title').text() ?? alert.at('title').text(),
      severity: severityOf(action),
      state: stateOf(action, ['resolved']),
      labels: [['rule', rule.at('name').text()], ...rule.pairs('aggregate', 'query')],
      annotations: [['description', data.at('description_text').text()]],
      startsAt: alert.at('date_started').date(),
      endsAt: alert.at('date_closed').date(),
      url: data.at('web_url').text(),
    },
  ]);
}

/** Parses an issue. Resolving or archiving the issue resolves the alert on its events; other actions are ignored. */
function issue(about: JsonReader, action: string): ParsedDelivery {
  if (action !== 'resolved' && action !== 'archived')
    return ignored(`An issue with the action ${action.slice(0, 60)} changes nothing here.`);
  return toDelivery([
    {
      fingerprint: [`issue:${about.at('id').requireText()}`],
      title: about.at('title').text(),
      severity: severityOf(about.at('level').text()),
      state: 'RESOLVED',
      labels: [['project', about.at('project', 'slug').text()], ...about.pairs('culprit')],
      url: about.at('web_url').text() ?? about.at('permalink').text(),
      objectId: about.at('id').text(),
    },
  ]);
}
