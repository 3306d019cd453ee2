import { maskArgumentsText } from '../masking/arguments.ts';
import type { Masking } from '../masking/masking.ts';
import type { IncomingAlert, TextMap } from './delivery.ts';
import { keyOf } from './keys.ts';
import { safeWebAddress } from './text-limits.ts';

type MaskAlert = Pick<Masking, 'maskAlert'>;

/** The parts of an alert that may contain a secret. */
type Texts = Pick<IncomingAlert, 'title' | 'labels' | 'annotations' | 'url'>;

/** Masks the secrets in alerts, before anything of them is stored or shown. */
export function maskAlerts(masking: MaskAlert, alerts: readonly IncomingAlert[]): IncomingAlert[] {
  // Masked together, because a label's name helps to recognize its value, and one long text costs less than many short
  // ones.
  const together = texts(masking, alerts.map(textsOf));
  const keyed = createMaskedKeys(
    masking,
    alerts.flatMap(({ fingerprint, groupKey }) => [fingerprint, groupKey ?? '']),
  );
  return alerts.map((alert, index) => ({
    ...alert,
    ...(together?.[index] ?? texts(masking, [textsOf(alert)])?.[0] ?? maskSeparately(masking, alert)),
    fingerprint: keyed(alert.fingerprint),
    groupKey: alert.groupKey === null ? null : keyed(alert.groupKey),
  }));
}

function textsOf({ title, labels, annotations, url }: IncomingAlert): Texts {
  return { title, labels, annotations, url };
}

/** Returns `null` if the masked text has another structure. */
function texts(masking: MaskAlert, of: readonly Texts[]): Texts[] | null {
  const masked: unknown = JSON.parse(maskArgumentsText(JSON.stringify(of), masking.maskAlert));
  if (!Array.isArray(masked) || masked.length !== of.length || !masked.every(isTexts)) return null;
  return masked.map((part) => ({ ...part, url: safeWebAddress(part.url) }));
}

function maskSeparately(masking: MaskAlert, alert: IncomingAlert): Texts {
  const map = (given: TextMap) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [masking.maskAlert(name), masking.maskAlert(value)]),
    );
  return {
    title: masking.maskAlert(alert.title),
    labels: map(alert.labels),
    annotations: map(alert.annotations),
    url: safeWebAddress(alert.url === null ? null : masking.maskAlert(alert.url)),
  };
}

function isTexts(value: unknown): value is Texts {
  if (typeof value !== 'object' || value === null) return false;
  const { title, labels, annotations, url } = value as Record<string, unknown>;
  return (
    typeof title === 'string' &&
    isTextMap(labels) &&
    isTextMap(annotations) &&
    (url === null || typeof url === 'string')
  );
}

function isTextMap(value: unknown): value is TextMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}

/**
 * Returns a function that makes keys storable: a key with a secret is replaced by its hash. All keys are checked at once,
 * because most contain none.
 */
export function createMaskedKeys(masking: MaskAlert, keys: readonly string[]): (key: string) => string {
  const all = [...new Set(keys)].join('\n');
  if (masking.maskAlert(all) === all) return (key) => key;
  return (key) => (masking.maskAlert(key) === key ? key : keyOf(key, null));
}
