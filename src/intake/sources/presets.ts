import type { PresetType } from '../../config/enums.ts';
import { ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import type { JsonReader } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
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
  const found = alertsIn(body, mapping).map((alert) => mapAlert(alert, mapping));
  const alerts = found.filter((alert) => alert !== null);
  if (alerts.length === 0 && found.length > 0)
    return ignored('The message tells of a state that is no alert.');
  return toDelivery(alerts);
}

function valueAt(body: JsonReader, path: string): boolean {
  return body.at(...path.slice(2).split('.')).exists;
}
