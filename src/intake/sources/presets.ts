import type { PresetType } from '../../config/enums.ts';
import { ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import type { JsonReader } from '../json-reader.ts';
import { readEach, toDelivery } from '../parsed-alert.ts';
import { alertsIn, mapAlert, type PresetMapping } from './generic.ts';
import { CLOUD_PRESETS } from './presets-clouds.ts';
import { CODE_PRESETS } from './presets-code.ts';
import { MONITORING_PRESETS } from './presets-monitoring.ts';
import { readBody } from './read-body.ts';

const PRESETS: Readonly<Record<PresetType, readonly PresetMapping[]>> = {
  ...MONITORING_PRESETS,
  ...CLOUD_PRESETS,
  ...CODE_PRESETS,
};

/** Returns the parser of a source type that is a mapping over any JSON. */
export function presetParser(type: PresetType): ParseDelivery {
  return (delivery) => parsePreset(readBody(delivery), type);
}

/** Parses a body by the mappings of a source type. */
export function parsePreset(body: JsonReader, type: PresetType): ParsedDelivery {
  const mapping = PRESETS[type].find(({ when }) => when === undefined || valueAt(body, when));
  if (!mapping) return ignored(`A message of this form is no alert of ${type}.`);
  const { all, leftOut } = readEach(alertsIn(body, mapping), (alert) => mapAlert(alert, mapping));
  const alerts = all.filter((alert) => alert !== null);
  if (alerts.length === 0 && all.length > 0) return ignored('The message tells of a state that is no alert.');
  return toDelivery(alerts, { leftOut });
}

function valueAt(body: JsonReader, path: string): boolean {
  return body.at(...path.slice(2).split('.')).exists;
}
