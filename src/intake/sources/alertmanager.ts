import type { ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { parseGroup } from './prometheus.ts';

/** Parses Prometheus Alertmanager webhooks, version 4. An alert that is missing from a delivery stays firing. */
export const alertmanager: ParseDelivery = (delivery) => parseGroup(readJson(delivery));
