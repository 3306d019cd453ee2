import { PRESET_TYPES, type PresetType, type SourceType } from '../../config/enums.ts';
import type { ParseDelivery } from '../delivery.ts';
import { alertmanager } from './alertmanager.ts';
import { azureMonitor } from './azure-monitor.ts';
import { cloudevents } from './cloudevents.ts';
import { cloudwatch } from './cloudwatch.ts';
import { datadog } from './datadog.ts';
import { gcpMonitoring } from './gcp-monitoring.ts';
import { generic } from './generic.ts';
import { grafana } from './grafana.ts';
import { newrelic } from './newrelic.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { pagerdutyEvents } from './pagerduty-events.ts';
import { presetParser } from './presets.ts';
import { sentry } from './sentry.ts';
import { zabbix } from './zabbix.ts';

const PARSERS: Readonly<Record<Exclude<SourceType, PresetType>, ParseDelivery>> = {
  alertmanager,
  grafana,
  pagerduty,
  'pagerduty-events': pagerdutyEvents,
  opsgenie,
  datadog,
  cloudwatch,
  sentry,
  newrelic,
  'gcp-monitoring': gcpMonitoring,
  'azure-monitor': azureMonitor,
  zabbix,
  cloudevents,
  generic,
};

const PRESETS = Object.fromEntries(PRESET_TYPES.map((type) => [type, presetParser(type)]));
const PARSER_OF = new Map<SourceType, ParseDelivery>(
  Object.entries({ ...PARSERS, ...PRESETS }) as [SourceType, ParseDelivery][],
);

/** Parses a delivery in the form of its source's type. @throws DeliveryRefusedError */
export const parseDelivery: ParseDelivery = (delivery, source) =>
  PARSER_OF.get(source.type)!(delivery, source);
