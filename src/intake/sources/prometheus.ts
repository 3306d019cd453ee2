import { severityOf } from '../../engine/alert/severity.ts';
import type { ParsedDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import type { Reader } from '../json-reader.ts';
import { partsOf } from '../keys.ts';
import { type AlertDraft, delivered } from '../parsed-alert.ts';
import { LABEL_MAX_LENGTH } from '../tunables.ts';

/** What Alertmanager and Grafana send in the same form: a whole group, each time with all that is known of it. */
export function parseGroup(
  delivery: Reader,
  more: (
    alert: Reader,
  ) => Partial<AlertDraft> & { annotations?: readonly (readonly [string, string | null])[] },
): ParsedDelivery {
  const groupKey = delivery.at('groupKey').text();
  const group = groupKey === null ? null : [groupKey];
  const groupText = groupTextOf(delivery.at('groupLabels'));
  const fallbackUrl = delivery.at('externalURL').text();
  const drafts = delivery
    .at('alerts')
    .requireList()
    .map((alert): AlertDraft => {
      const labels = alert.at('labels').requireObject().entries();
      const { annotations = [], ...extra } = more(alert);
      return {
        fingerprint: [alert.at('fingerprint').text() ?? partsOf(Object.fromEntries(labels)).join('\n')],
        group,
        title: titleFrom(Object.fromEntries(labels), groupText),
        severity: severityOf(alert.at('labels', 'severity').text()),
        state: stateOf(alert.at('status')),
        labels,
        annotations: [...alert.at('annotations').entries(), ...annotations],
        startsAt: alert.at('startsAt').moment(),
        endsAt: alert.at('endsAt').moment(),
        url: alert.at('generatorURL').text() ?? fallbackUrl,
        ...extra,
      };
    });
  const left = Number(delivery.at('truncatedAlerts').text() ?? 0);
  const notes = left > 0 ? [`The sender left ${left} alerts of the group out (max_alerts).`] : [];
  return delivered(drafts, { notes });
}

function stateOf(status: Reader): AlertDraft['state'] {
  const word = status.requireText();
  if (word === 'firing') return 'FIRING';
  if (word === 'resolved') return 'RESOLVED';
  throw unreadable(status.path, `expected firing or resolved, got "${word.slice(0, 40)}"`);
}

/** What tells the group from others. Made once for all of its alerts, and cut, as each puts it into its title. */
function groupTextOf(groupLabels: Reader): string {
  const told = groupLabels.entries().filter(([label]) => label !== 'alertname');
  return told
    .map((pair) => pair.join('='))
    .join(', ')
    .slice(0, LABEL_MAX_LENGTH);
}

function titleFrom(labels: Record<string, string>, groupText: string): string {
  const { alertname = 'Alert', rulename } = labels;
  const name =
    rulename && /^Datasource(?:NoData|Error)$/.test(alertname) ? `${rulename}: ${alertname}` : alertname;
  return groupText === '' ? name : `${name} (${groupText})`;
}
