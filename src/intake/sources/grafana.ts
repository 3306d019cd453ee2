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
      annotations: [
        ...alert.pairs('valueString'),
        ...values.map(([name, value]) => [`value.${name}`, value] as const),
        ...alert.pairs('dashboardURL', 'panelURL', 'silenceURL'),
      ],
    };
  });
