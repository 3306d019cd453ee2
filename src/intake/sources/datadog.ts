import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import type { TextPair } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { readTitle } from './alert-state.ts';
import { readBody } from './read-body.ts';
import { splitTag } from './tags.ts';
import { parsedAlertOf, textWithout } from './template-keys.ts';

/** Reads a text; `null` for a variable such as `$HOSTNAME`, because Datadog does not replace unknown variables. */
const text = textWithout(/^\$[A-Z][A-Z0-9_]*$/);

/** For keys of the documented template, the names of the same value in Datadog's default template and variables. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  title: ['event_title', 'alert_title'],
  severity: ['alert_priority'],
  type: ['alert_type'],
  state: ['alert_transition'],
  monitor: ['alert_id', 'monitor_id'],
  scope: ['alert_scope'],
  episode: ['alert_cycle_key'],
  url: ['link'],
  starts_at: ['date'],
  message: ['body', 'event_msg', 'text_only_msg'],
  host: ['host_name', 'hostname'],
};

/** Parses notifications of Datadog monitors, in the documented template or in the default one. */
export const datadog: ParseDelivery = (delivery) => {
  const body = readBody(delivery).requireObject();
  const at = (key: string) =>
    [key, ...(NAMES[key] ?? [])].map((name) => body.at(name)).find((reader) => text(reader) !== null) ??
    body.at(key);
  const own = (key: string) => text(at(key));
  const org = body.at('org', 'name');
  const explained = [
    'org',
    'fingerprint',
    'group',
    'id',
    'tags',
    'last_updated',
    'event_type',
    'labels',
    'annotations',
    ...Object.entries(NAMES).flat(2),
  ];
  const [monitor, scope, host] = [own('monitor'), own('scope'), own('host')];
  const parsed = parsedAlertOf({
    ...{ whole: body, at, textOf: text, used: new Set(explained) },
    ...(monitor !== null && { fallbackTitle: `Monitor ${monitor}` }),
  });
  const transition = own('state') ?? '';
  const type = severityOf(own('type'));
  const tags = (own('tags') ?? at('tags').joined() ?? '').split(',').filter((tag) => tag.trim() !== '');
  const sentAt = parsed.startsAt ?? null; // $DATE is the time of the notification, not the start of the alert
  const labels: TextPair[] = [...tags.map(splitTag), ['host', host], ['org', text(org)]];
  const { rest } = readTitle(parsed.title ?? '');
  const given = own('fingerprint');
  return toDelivery([
    {
      ...parsed,
      fingerprint:
        monitor !== null
          ? [monitor, scope ?? rest]
          : given !== null
            ? [given]
            : [text(org), rest, scope, host],
      group: parsed.group ?? (monitor === null ? null : ['monitor', monitor]),
      severity: parsed.severity === 'UNKNOWN' ? type : parsed.severity,
      labels: [
        ...labels.filter(([, value]) => value !== null),
        ...parsed.labels,
        ['monitor', monitor],
        ['scope', scope],
        ['no_data', /no data/i.test(transition) ? 'true' : null],
      ],
      annotations: [...(parsed.annotations ?? []), ['message', own('message')]],
      objectId: monitor,
      startsAt: null,
      endsAt: parsed.endsAt ?? sentAt,
      reportedAt: sentAt,
    },
  ]);
};
