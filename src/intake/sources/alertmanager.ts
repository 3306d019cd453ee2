import type { ParseDelivery } from '../delivery.ts';
import { jsonOfDelivery } from '../json-reader.ts';
import { parseGroup } from './prometheus.ts';

/** Prometheus Alertmanager, webhook version 4. An alert that is missing from a delivery is not resolved. */
export const alertmanager: ParseDelivery = (delivery) => parseGroup(jsonOfDelivery(delivery), () => ({}));
