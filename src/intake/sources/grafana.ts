import type { ParseDelivery } from '../delivery.ts';
import { jsonOfDelivery, type Reader } from '../json-reader.ts';
import { parseGroup } from './prometheus.ts';

/** Grafana Alerting, webhook contact point: Alertmanager's form and more about each alert. */
export const grafana: ParseDelivery = (delivery) =>
  parseGroup(jsonOfDelivery(delivery), (alert) => ({
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

function urlOf(alert: Reader): string | null {
  return (
    ['generatorURL', 'panelURL', 'dashboardURL'].map((name) => alert.at(name).text()).find(Boolean) ?? null
  );
}
