import type { ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { parseGroup } from './prometheus.ts';

/** Parses Grafana Alerting webhooks: Alertmanager's form with more details per alert. */
export const grafana: ParseDelivery = (delivery) =>
  parseGroup(readJson(delivery), (alert) => {
    const values = alert.at('values').entries();
    const urls = ['generatorURL', 'panelURL', 'dashboardURL'].map((name) => alert.at(name).text());
    return {
      url: urls.find(Boolean) ?? null,
      objectId: panelOf(alert.at('panelURL').text() ?? alert.at('dashboardURL').text()),
      annotations: [
        ...alert.pairs('valueString'),
        ...values.map(([name, value]) => [`value.${name}`, value] as const),
        ...alert.pairs('dashboardURL', 'panelURL', 'silenceURL'),
      ],
    };
  });

/** Returns dashboard and panel of an alert rule as `uid/panel`, or the dashboard as `uid`; `null` if the rule has none. */
function panelOf(written: string | null): string | null {
  const url = URL.parse(written ?? '');
  const [, dashboard] = /\/d\/([\w-]+)(?:\/|$)/.exec(url?.pathname ?? '') ?? [];
  const [, panel] = /^(?:panel-)?(\d+)$/.exec(url?.searchParams.get('viewPanel') ?? '') ?? [];
  if (dashboard === undefined) return null;
  return panel === undefined ? dashboard : `${dashboard}/${panel}`;
}
