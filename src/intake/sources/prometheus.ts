import { severityOf } from '../../engine/alert/severity.ts';
import type { ParsedDelivery } from '../delivery.ts';
import type { JsonReader } from '../json-reader.ts';
import { partsOf } from '../keys.ts';
import { type ParsedAlert, readEach, toDelivery } from '../parsed-alert.ts';
import { LABEL_MAX_LENGTH } from '../tunables.ts';
import { stateOf } from './alert-state.ts';

/** Parses the format that Alertmanager and Grafana share: a delivery contains a whole group with its current state. */
export function parseGroup(
  delivery: JsonReader,
  more: (alert: JsonReader) => Partial<ParsedAlert> = () => ({}),
): ParsedDelivery {
  const groupKey = delivery.at('groupKey').text();
  const group = groupKey === null ? null : [groupKey];
  const groupText = groupTextOf(delivery.at('groupLabels'));
  const fallbackUrl = delivery.at('externalURL').text();
  const { all, leftOut } = readEach(delivery.at('alerts').requireList(), (alert): ParsedAlert => {
    const labels = alert.at('labels').requireObject().entries();
    const byName = Object.fromEntries(labels);
    const { annotations = [], ...extra } = more(alert);
    return {
      fingerprint: [alert.at('fingerprint').text() ?? partsOf(byName).join('\n')],
      group,
      title: titleFrom(alert, byName, groupText),
      severity: severityOf(alert.at('labels', 'severity').text()),
      state: stateOf(alert.at('status').requireText(), ['resolved']),
      labels,
      annotations: [...alert.at('annotations').entries(), ...annotations],
      startsAt: alert.at('startsAt').date(),
      endsAt: alert.at('endsAt').date(),
      url: alert.at('generatorURL').text() ?? fallbackUrl,
      ...extra,
    };
  });
  const left = Number(delivery.at('truncatedAlerts').text() ?? 0);
  const notes = left > 0 ? [`The sender left ${left} alerts of the group out (max_alerts).`] : [];
  return toDelivery(all, { notes, leftOut, mayReuseStart: true });
}

/** Returns the group's labels as text for titles. The length is limited, because every alert's title contains it. */
function groupTextOf(groupLabels: JsonReader): string {
  const shown = groupLabels.entries().filter(([label]) => label !== 'alertname');
  const text = shown.map((pair) => pair.join('=')).join(', ');
  return text.slice(0, LABEL_MAX_LENGTH);
}

/** Returns the name of an alert with its group's labels; for an alert without a name, its summary or description. */
function titleFrom(alert: JsonReader, labels: Record<string, string>, groupText: string): string {
  const { alertname, rulename } = labels;
  if (alertname === undefined) {
    const [summary, description] = ['summary', 'description'].map((name) =>
      alert.at('annotations', name).text(),
    );
    const said = summary ?? description;
    if (said != null) return said;
  }
  const name = alertname ?? labels.grafana_folder ?? 'Alert';
  const title = rulename && /^Datasource(?:NoData|Error)$/.test(name) ? `${rulename}: ${name}` : name;
  return groupText === '' ? title : `${title} (${groupText})`;
}
