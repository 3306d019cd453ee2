import type { ParseDelivery } from '../delivery.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { parseGroup } from './prometheus.ts';

/** Parses Grafana Alerting webhooks: Alertmanager's form with more details per alert. */
export const grafana: ParseDelivery = (delivery) =>
  parseGroup(readJson(delivery), (alert) => ({
    url: urlOf(alert),
    annotations: [
      ['valueString', alert.at('valueString').text()],
      ...alert
        .at('values')
        .entries()
        .map(([name, value]) => [`value.${name}`, value] as const),
      ...LINKS.map((name) => [name, alert.at(name).text()] as const),
    ],
  }));

const LINKS = ['dashboardURL', 'panelURL', 'silenceURL'] as const;

function urlOf(alert: JsonReader): string | null {
  return (
    ['generatorURL', 'panelURL', 'dashboardURL'].map((name) => alert.at(name).text()).find(Boolean) ?? null
  );
}
